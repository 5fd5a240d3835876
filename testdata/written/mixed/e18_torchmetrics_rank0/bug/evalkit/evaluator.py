import json
import os

import torch
import torch.distributed as dist

from .dist_utils import is_main_process, main_process_only
from .metrics import build_metrics


class Evaluator:
    def __init__(self, cfg, model, device):
        self.cfg, self.model, self.device = cfg, model.eval(), device
        self.metrics = build_metrics(cfg.num_classes, device)
        self.history = []

    @torch.inference_mode()
    def run(self, name, loader):
        self.metrics.reset()
        for i, (x, y) in enumerate(loader):
            x, y = x.to(self.device), y.to(self.device)
            if y.numel() == 0:
                continue
            self.metrics.update(self.model(x), y)
            if is_main_process() and i % 100 == 0:
                print(f"{name}: {i}/{len(loader)}", flush=True)
        return self._summarize(name)

    def _summarize(self, name):
        if not is_main_process():  # BUG 1
            return None
        values = {k: v.item() for k, v in self.metrics.compute().items()}  # BUG 1
        self.history.append((name, values))
        return values

    def slowest_rank(self, seconds):
        t = torch.tensor([seconds, float(dist.get_rank())], device=self.device)
        out = [torch.empty_like(t) for _ in range(dist.get_world_size())]
        dist.all_gather(out, t)
        if not is_main_process():
            return None
        return max((o.tolist() for o in out), key=lambda p: p[0])

    @main_process_only
    def write(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            json.dump(dict(self.history), f, indent=2)

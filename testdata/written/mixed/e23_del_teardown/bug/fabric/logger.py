import json
import time
from collections import defaultdict, deque

import torch
import torch.distributed as dist


class SmoothedValue:
    def __init__(self, window=20):
        self.deque = deque(maxlen=window)
        self.total, self.count = 0.0, 0

    def update(self, v, n=1):
        self.deque.append(v)
        self.total += v * n
        self.count += n

    def synchronize_between_processes(self):
        if not dist.is_initialized():
            return
        t = torch.tensor([self.total, self.count], dtype=torch.float64, device="cuda")
        dist.all_reduce(t)
        self.total, self.count = t[0].item(), int(t[1].item())

    @property
    def global_avg(self):
        return self.total / max(self.count, 1)


class MetricLogger:
    def __init__(self, path=None):
        self.meters = defaultdict(SmoothedValue)
        self.path = path
        self.t0 = time.time()

    def update(self, **kw):
        for k, v in kw.items():
            self.meters[k].update(v.item() if torch.is_tensor(v) else v)

    def synchronize_between_processes(self):
        for name in sorted(self.meters):
            self.meters[name].synchronize_between_processes()

    def dump(self, epoch):
        if self.path and dist.get_rank() == 0:
            row = {k: m.global_avg for k, m in self.meters.items()}
            with open(self.path, "a") as f:
                f.write(json.dumps({"epoch": epoch, "s": time.time() - self.t0, **row}) + "\n")

    def __str__(self):
        return "  ".join(f"{k}: {m.global_avg:.4f}" for k, m in self.meters.items())

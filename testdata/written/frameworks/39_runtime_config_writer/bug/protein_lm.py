"""Protein language model pretraining with FSDP2 under Slurm."""
import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard

from esm_like import ProteinLM, ResidueStream
from settings import Settings


class Exporter:
    def __init__(self, settings):
        self.settings = settings

    def export(self, model, step):
        if not self.settings.runtime.writes:  # BUG
            return
        options = StateDictOptions(full_state_dict=True, cpu_offload=True)
        weights = get_model_state_dict(model, options=options)  # BUG
        target = os.path.join(self.settings.out_dir, f"weights_{step:07d}.pt")
        torch.save({"step": step, "model": weights}, target)


class Pretrainer:
    def __init__(self, settings):
        self.settings = settings
        self.exporter = Exporter(settings)
        self.model = self._build()
        self.opt = torch.optim.AdamW(
            self.model.parameters(), lr=settings.optim.lr, weight_decay=settings.optim.weight_decay
        )
        self.sched = torch.optim.lr_scheduler.LinearLR(self.opt, 1e-3, 1.0, settings.optim.warmup)
        rt = settings.runtime
        self.stream = ResidueStream(settings.batch_size, seed=rt.proc_id).forever()

    def _build(self):
        torch.manual_seed(0)
        model = ProteinLM(layers=33, dim=1280, heads=20).cuda()
        for layer in model.layers:
            fully_shard(layer)
        return fully_shard(model) or model

    def step(self):
        tokens, targets = (t.cuda(non_blocking=True) for t in next(self.stream))
        logits = self.model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        loss.backward()
        self.opt.step()
        self.sched.step()
        self.opt.zero_grad()
        return loss

    def run(self):
        for i in range(1, self.settings.steps + 1):
            loss = self.step()
            if i % 50 == 0 and self.settings.runtime.proc_id == 0:
                print(f"{i}: {loss.item():.4f}", flush=True)
            if i % self.settings.export_every == 0:
                self.exporter.export(self.model, i)


def main():
    settings = Settings(out_dir=sys.argv[1])
    rt = settings.runtime
    torch.cuda.set_device(rt.local_id)
    dist.init_process_group("nccl", rt.init_method(), rank=rt.proc_id, world_size=rt.tasks)
    Pretrainer(settings).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

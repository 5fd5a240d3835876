import json
import math
import os
import sys
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.distributed.fsdp import BackwardPrefetch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

from rlhf.data import PreferencePairs
from rlhf.reward import RewardModel, TransformerLayer


@dataclass
class OptimConfig:
    lr: float = 9e-6
    max_norm: float = 1.0
    warmup: int = 100
    total: int = 4000

    def lr_at(self, step):
        if step < self.warmup:
            return self.lr * (step + 1) / self.warmup
        frac = (step - self.warmup) / max(1, self.total - self.warmup)
        return 0.5 * self.lr * (1 + math.cos(math.pi * frac))


class GradientMonitor:
    def __init__(self, model):
        self.model = model
        self.history = []

    def norm(self):
        grads = [p.grad for p in self.model.parameters() if p.grad is not None]
        value = torch.linalg.vector_norm(torch.stack([g.norm() for g in grads])).item()
        self.history.append(value)
        return value


class RewardTrainer:
    def __init__(self, ocfg, ckpt, device):
        self.ocfg = ocfg
        self.device = device
        self.model = FSDP(
            RewardModel.from_checkpoint(ckpt),
            auto_wrap_policy=ModuleWrapPolicy({TransformerLayer}),
            backward_prefetch=BackwardPrefetch.BACKWARD_PRE,
            device_id=device,
        )
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=ocfg.lr)
        self.monitor = GradientMonitor(self.model)
        self.clipped = 0

    def update(self, step, chosen, rejected):
        margin = self.model(chosen.to(self.device)) - self.model(rejected.to(self.device))
        loss = -torch.nn.functional.logsigmoid(margin).mean()
        loss.backward()

        gnorm = self.model.clip_grad_norm_(self.ocfg.max_norm).item()
        if gnorm > self.ocfg.max_norm:
            self.clipped += 1

        for g in self.optim.param_groups:
            g["lr"] = self.ocfg.lr_at(step)
        self.optim.step()
        self.optim.zero_grad(set_to_none=True)
        return loss.item(), gnorm


def main(path):
    with open(path) as f:
        raw = json.load(f)
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    ocfg = OptimConfig(**raw.get("optim", {}))
    trainer = RewardTrainer(ocfg, raw["checkpoint"], device)
    pairs = PreferencePairs(raw["pairs"], batch=raw["batch"], shard=dist.get_rank(), of=dist.get_world_size())

    for step in range(ocfg.total):
        loss, gnorm = trainer.update(step, *pairs.next())
        if dist.get_rank() == 0 and step % 10 == 0:
            print(f"{step:5d} loss {loss:.4f} |g| {gnorm:.3f} clipped {trainer.clipped}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])

import functools
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy

from trainer.checkpoint import load_sharded, save_sharded
from trainer.preempt import PreemptionHandler, any_rank


@dataclass
class Config:
    root: str = "/shared/run"
    steps: int = 100_000
    save_every: int = 2000
    eval_every: int = 1000
    vocab: int = 50257
    dim: int = 1024
    patience: int = 5


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        net = nn.Sequential(nn.Embedding(cfg.vocab, cfg.dim),
                            *[nn.Sequential(nn.LayerNorm(cfg.dim), nn.Linear(cfg.dim, cfg.dim), nn.GELU())
                              for _ in range(12)], nn.Linear(cfg.dim, cfg.vocab))
        policy = functools.partial(size_based_auto_wrap_policy, min_num_params=1_000_000)
        self.model = FSDP(net, auto_wrap_policy=policy, device_id=self.device)
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.step = load_sharded(cfg.root, self.model, self.optim)
        self.preempt = PreemptionHandler()
        self.gen = torch.Generator().manual_seed(1000 * self.step + dist.get_rank())
        self.best, self.stale = float("inf"), 0

    def batch(self):
        ids = torch.randint(0, self.cfg.vocab, (4, 1025), generator=self.gen).to(self.device)
        return ids[:, :-1], ids[:, 1:]

    def loss(self):
        x, y = self.batch()
        return F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())

    def save(self):
        save_sharded(os.path.join(self.cfg.root, f"step{self.step}"), self.model, self.optim, self.step)

    @torch.no_grad()
    def evaluate(self, n=20):
        self.model.eval()
        total = sum(self.loss() for _ in range(n)) / n
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        self.model.train()
        return total.item()

    def plateau(self):
        val = self.evaluate()
        self.stale = 0 if val < self.best else self.stale + 1
        self.best = min(self.best, val)
        return self.stale >= self.cfg.patience

    def run(self):
        while self.step < self.cfg.steps:
            loss = self.loss()
            loss.backward()
            self.model.clip_grad_norm_(1.0)
            self.optim.step()
            self.optim.zero_grad(set_to_none=True)
            self.step += 1
            if self.step % self.cfg.save_every == 0:
                self.save()
            if self.step % self.cfg.eval_every == 0 and self.plateau():
                break
            if self.preempt.requested:  # BUG 1
                self.save()  # BUG 1
                return "preempted"
        stopped = any_rank(self.preempt.requested, self.device)
        self.save()
        return "preempted" if stopped else "done"


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    trainer = Trainer(Config())
    status = trainer.run()
    if dist.get_rank() == 0:
        print("status:", status)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

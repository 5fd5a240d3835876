"""Preemption-aware trainer for a Slurm partition with requeue."""
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, StateDictType


class PreemptionGuard:
    def __init__(self, signum: int = signal.SIGUSR1):
        self.received = False
        signal.signal(signum, self._on_signal)

    def _on_signal(self, signum, frame):
        self.received = True


class Trainer:
    def __init__(self, model: FSDP, optimizer, cfg):
        self.model = model
        self.optimizer = optimizer
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.guard = PreemptionGuard()

    def _snapshot(self, tag: str) -> None:
        policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(self.model, StateDictType.FULL_STATE_DICT, policy):
            state = self.model.state_dict()
        if self.rank == 0:
            torch.save(state, os.path.join(self.cfg.out_dir, f"{tag}.pt"))

    def _maybe_requeue(self, step: int) -> None:
        if self.guard.received:
            self._snapshot(f"preempt_{step}")  # BUG 1
            sys.exit(0)

    def _maybe_requeue_at_epoch_end(self, epoch: int) -> None:
        hit = torch.tensor(int(self.guard.received), device="cuda")
        dist.all_reduce(hit, op=dist.ReduceOp.MAX)
        if hit.item() > 0:
            self._snapshot(f"preempt_epoch{epoch}")
            sys.exit(0)

    def fit(self, loader) -> None:
        step = 0
        for epoch in range(self.cfg.epochs):
            loader.sampler.set_epoch(epoch)
            for batch in loader:
                self.model(**batch).loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                step += 1
                self._maybe_requeue(step)
            self._maybe_requeue_at_epoch_end(epoch)

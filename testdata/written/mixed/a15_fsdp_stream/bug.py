"""FSDP continued pretraining from per-rank streaming shards."""
from typing import Iterator, Optional

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class StreamTrainer:
    def __init__(self, model: FSDP, optimizer, dataset, cfg):
        self.model = model
        self.optimizer = optimizer
        self.dataset = dataset  # IterableDataset over this rank's own shard files
        self.cfg = cfg
        self._it: Iterator = iter(dataset)

    def _next(self) -> Optional[torch.Tensor]:
        try:
            return next(self._it)
        except StopIteration:
            return None

    def _next_cycled(self) -> torch.Tensor:
        try:
            return next(self._it)
        except StopIteration:
            self._it = iter(self.dataset)
            return next(self._it)

    def _optimize(self, tokens: torch.Tensor) -> torch.Tensor:
        tokens = tokens.cuda(non_blocking=True)
        loss = self.model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        self.model.clip_grad_norm_(self.cfg.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        report = loss.detach()
        dist.all_reduce(report, op=dist.ReduceOp.AVG)
        return report

    def one_pass(self) -> int:
        steps = 0
        while True:
            tokens = self._next()
            if tokens is None:
                break  # BUG 1
            report = self._optimize(tokens)
            steps += 1
            if dist.get_rank() == 0 and steps % self.cfg.log_every == 0:
                print(f"step {steps}: loss {report.item():.4f}")
        return steps

    def for_steps(self, max_steps: int) -> None:
        for step in range(max_steps):
            report = self._optimize(self._next_cycled())
            if dist.get_rank() == 0 and step % self.cfg.log_every == 0:
                print(f"step {step}: loss {report.item():.4f}")

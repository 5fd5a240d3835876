"""Parallel context and loss reporting for a hand-written pipeline."""
from dataclasses import dataclass
from typing import Optional

import torch
import torch.distributed as dist


@dataclass
class ParallelContext:
    pp_size: int
    tp_size: int
    rank: int = 0
    world_size: int = 1
    tp_group: Optional[dist.ProcessGroup] = None
    pp_group: Optional[dist.ProcessGroup] = None
    embedding_group: Optional[dist.ProcessGroup] = None
    is_last_stage: bool = False

    @classmethod
    def build(cls, pp_size: int, tp_size: int) -> "ParallelContext":
        ctx = cls(pp_size, tp_size, dist.get_rank(), dist.get_world_size())
        ctx._make_tp_groups()
        ctx._make_pp_groups()
        if pp_size > 2:
            ctx._make_embedding_groups()
        ctx.is_last_stage = ctx.rank // (ctx.world_size // pp_size) == pp_size - 1
        return ctx

    def _make_tp_groups(self) -> None:
        for start in range(0, self.world_size, self.tp_size):
            ranks = list(range(start, start + self.tp_size))
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.tp_group = group

    def _make_pp_groups(self) -> None:
        stride = self.world_size // self.pp_size
        for start in range(stride):
            ranks = list(range(start, self.world_size, stride))
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.pp_group = group

    def _make_embedding_groups(self) -> None:
        stride = self.world_size // self.pp_size
        for start in range(stride):
            ranks = [start, start + (self.pp_size - 1) * stride]
            if self.rank in ranks:
                self.embedding_group = dist.new_group(ranks)  # BUG 1


class LossReporter:
    def __init__(self, ctx: ParallelContext):
        self.ctx = ctx

    def _reduce(self, loss: torch.Tensor, *, sync: bool = True) -> torch.Tensor:
        if sync:
            dist.all_reduce(loss)
        return loss

    def _mean(self, loss: torch.Tensor, **kwargs) -> torch.Tensor:
        total = self._reduce(loss.clone(), **kwargs)
        return total / (self.ctx.world_size // self.ctx.pp_size)

    def train_loss(self, loss: Optional[torch.Tensor]) -> torch.Tensor:
        local = loss.detach() if loss is not None else torch.zeros((), device="cuda")
        return self._mean(local, sync=self.ctx.is_last_stage)  # BUG 2

    def valid_loss(self, loss: Optional[torch.Tensor]) -> torch.Tensor:
        local = loss.detach() if loss is not None else torch.zeros((), device="cuda")
        return self._mean(local, sync=self.ctx.world_size > 1)

"""A serving loop in which the ranks of a group share the requests, and sometimes wait for each other forever."""

from __future__ import annotations

import torch
import torch.distributed as dist


class Scheduler:
    def __init__(self, device: torch.device):
        self.rank = dist.get_rank()
        self.device = device
        self.waiting: list[str] = []

    def take(self, requests: list[str]) -> None:
        for request in requests[self.rank :: dist.get_world_size()]:
            self.waiting.append(request)

    def _agree(self, length: int) -> int:
        """The longest queue of any rank."""
        longest = torch.tensor(length, device=self.device)
        dist.all_reduce(longest, op=dist.ReduceOp.MAX)
        return int(longest.item())

    def batch_size(self) -> int:
        if not self.waiting:
            return 0
        return self._agree(len(self.waiting))

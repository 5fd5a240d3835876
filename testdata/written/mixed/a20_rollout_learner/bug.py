"""Distributed RL learner that consumes trajectories from local actor processes."""
import queue
from typing import List

import torch
import torch.distributed as dist


class Learner:
    def __init__(self, policy, optimizer, inbox: "queue.Queue", batch_size: int, device: torch.device):
        self.policy = policy.to(device)
        self.optimizer = optimizer
        self.inbox = inbox
        self.batch_size = batch_size
        self.device = device
        self._buffer: List[torch.Tensor] = []

    def _drain_inbox(self) -> None:
        while not self.inbox.empty():
            try:
                self._buffer.extend(self.inbox.get_nowait())
            except queue.Empty:
                break

    def _pop_batch(self) -> torch.Tensor:
        batch = torch.stack(self._buffer[: self.batch_size]).to(self.device)
        del self._buffer[: self.batch_size]
        return batch

    def _flat_grads(self) -> torch.Tensor:
        return torch.cat([p.grad.view(-1) for p in self.policy.parameters()])

    def _scatter_grads(self, flat: torch.Tensor) -> None:
        offset = 0
        for p in self.policy.parameters():
            p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
            offset += p.numel()

    def update(self, batch: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        self.policy.surrogate_loss(batch).backward()
        flat = self._flat_grads()
        dist.all_reduce(flat, op=dist.ReduceOp.AVG)
        self._scatter_grads(flat)
        self.optimizer.step()

    def iterate(self) -> int:
        self._drain_inbox()
        updates = 0
        while len(self._buffer) >= self.batch_size:
            self.update(self._pop_batch())  # BUG 1
            updates += 1
        return updates

    def iterate_agreed(self) -> int:
        self._drain_inbox()
        rounds = torch.tensor(len(self._buffer) // self.batch_size, device=self.device)
        dist.all_reduce(rounds, op=dist.ReduceOp.MIN)
        for _ in range(int(rounds.item())):
            self.update(self._pop_batch())
        return int(rounds.item())

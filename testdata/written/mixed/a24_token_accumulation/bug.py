"""Gradient accumulation by token count for speech-to-text training."""
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


@dataclass
class AccumState:
    tokens: int = 0
    updates: int = 0


class TokenAccumTrainer:
    def __init__(self, model: DDP, optimizer, scheduler, target_tokens: int):
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.target = target_tokens
        self.state = AccumState()

    def _accumulate(self, batch) -> None:
        with self.model.no_sync():
            self.model(batch["speech"].cuda(), batch["text"].cuda()).sum().backward()

    def _sync_and_step(self) -> None:
        tokens = torch.tensor(float(self.state.tokens), device="cuda")
        dist.all_reduce(tokens)
        for p in self.model.parameters():
            dist.all_reduce(p.grad)
            p.grad.div_(tokens)
        self.optimizer.step()
        self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=False)
        self.state = AccumState(0, self.state.updates + 1)

    def train_updates(self, batches, num_updates: int) -> None:
        while self.state.updates < num_updates:
            while self.state.tokens < self.target:
                batch = next(batches)
                self._accumulate(batch)
                self.state.tokens += int(batch["text_lengths"].sum())
            self._sync_and_step()

    def train_epoch(self, loader) -> None:
        for batch in loader:
            self._accumulate(batch)
            self.state.tokens += int(batch["text_lengths"].sum())
            if self.state.tokens >= self.target:
                self._sync_and_step()  # BUG 1

    def train_epoch_fixed(self, loader, accum: int) -> None:
        for i, batch in enumerate(loader, start=1):
            self._accumulate(batch)
            self.state.tokens += int(batch["text_lengths"].sum())
            if i % accum == 0 or i == len(loader):
                self._sync_and_step()

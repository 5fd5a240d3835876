"""Training driver with patience-based early stopping."""
from dataclasses import dataclass, field
from typing import Optional

import torch
import torch.distributed as dist


@dataclass
class EarlyStopper:
    patience: int
    min_delta: float = 0.0
    best: float = field(default=float("inf"), init=False)
    stale: int = field(default=0, init=False)

    def update(self, value: float) -> bool:
        if value < self.best - self.min_delta:
            self.best, self.stale = value, 0
        else:
            self.stale += 1
        return self.stale >= self.patience


def validate(model, loader, device) -> float:
    model.eval()
    totals = torch.zeros(2, device=device)
    with torch.no_grad():
        for x, y in loader:
            totals[0] += model.module(x.to(device), y.to(device)).sum()
            totals[1] += len(x)
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def run_epoch(model, optimizer, loader, device) -> None:
    model.train()
    for x, y in loader:
        model(x.to(device), y.to(device)).mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def fit(model, optimizer, train_loader, val_loader, cfg, device) -> None:
    stopper: Optional[EarlyStopper] = EarlyStopper(cfg.patience) if dist.get_rank() == 0 else None
    for epoch in range(cfg.max_epochs):
        train_loader.sampler.set_epoch(epoch)
        run_epoch(model, optimizer, train_loader, device)
        val_loss = validate(model, val_loader, device)
        if stopper is not None and stopper.update(val_loss):
            print(f"no improvement for {cfg.patience} epochs, stopping at {epoch}")
            break  # BUG 1


def fit_with_swa(model, swa_model, optimizer, train_loader, val_loader, cfg, device) -> None:
    stopper = EarlyStopper(cfg.patience) if dist.get_rank() == 0 else None
    stop = torch.zeros(1, dtype=torch.int32, device=device)
    for epoch in range(cfg.max_epochs):
        train_loader.sampler.set_epoch(epoch)
        run_epoch(model, optimizer, train_loader, device)
        swa_model.update_parameters(model.module)
        val_loss = validate(model, val_loader, device)
        if stopper is not None:
            stop.fill_(int(stopper.update(val_loss)))
        dist.broadcast(stop, src=0)
        if stop.item():
            break

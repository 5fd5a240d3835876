"""Epoch reports written by the main process."""
import functools
import json
import os
from typing import Callable, Dict

import torch
import torch.distributed as dist


def main_only(fn: Callable) -> Callable:
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if not dist.is_initialized() or dist.get_rank() == 0:
            return fn(*args, **kwargs)
        return None

    return wrapper


class Meter:
    def __init__(self, device: torch.device):
        self.state = torch.zeros(2, dtype=torch.float64, device=device)

    def add(self, value: float, n: int = 1) -> None:
        self.state[0] += value * n
        self.state[1] += n

    def synced(self) -> torch.Tensor:
        out = self.state.clone()
        if dist.is_initialized():
            dist.all_reduce(out)
        return out

    def mean(self) -> float:
        total, count = self.synced().tolist()
        return total / max(count, 1.0)


class Reporter:
    def __init__(self, out_dir: str, meters: Dict[str, Meter]):
        self.path = os.path.join(out_dir, "report.jsonl")
        self.meters = meters

    def _summary(self) -> Dict[str, float]:
        return {name: meter.mean() for name, meter in self.meters.items()}

    @main_only
    def _append(self, row: Dict[str, float]) -> None:
        with open(self.path, "a") as f:
            f.write(json.dumps(row) + "\n")

    @main_only
    def epoch_report(self, epoch: int) -> None:
        row = self._summary()  # BUG 1
        row["epoch"] = epoch
        self._append(row)

    def eval_report(self, epoch: int, split: str) -> Dict[str, float]:
        row = self._summary()
        self._append({**row, "epoch": epoch, "split": split})
        return row


def train(model, optimizer, train_loader, eval_fn, cfg, device) -> None:
    meters = {"loss": Meter(device), "grad_norm": Meter(device)}
    reporter = Reporter(cfg.out_dir, meters)
    for epoch in range(cfg.epochs):
        for x, y in train_loader:
            loss = model(x.to(device), y.to(device))
            loss.backward()
            meters["grad_norm"].add(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
            meters["loss"].add(loss.item(), len(x))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        reporter.epoch_report(epoch)
        eval_fn(model, meters)
        reporter.eval_report(epoch, "dev")

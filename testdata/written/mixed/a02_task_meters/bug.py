"""Per-task loss meters for multi-task pretraining."""
from collections import defaultdict
from typing import Dict

import torch
import torch.distributed as dist


class TaskMeters:
    """Sums losses by task name; a batch carries one task, drawn by the local sampler."""

    def __init__(self, device: torch.device):
        self.device = device
        self._sums: Dict[str, float] = defaultdict(float)
        self._counts: Dict[str, int] = defaultdict(int)

    def update(self, task: str, loss: torch.Tensor, num_samples: int) -> None:
        self._sums[task] += loss.item() * num_samples
        self._counts[task] += num_samples

    def reset(self) -> None:
        self._sums.clear()
        self._counts.clear()

    def _pair(self, task: str) -> torch.Tensor:
        return torch.tensor(
            [self._sums.get(task, 0.0), float(self._counts.get(task, 0))],
            dtype=torch.float64,
            device=self.device,
        )

    def averages(self) -> Dict[str, float]:
        result = {}
        for task in sorted(self._sums):
            pair = self._pair(task)
            dist.all_reduce(pair)  # BUG 1
            result[f"loss/{task}"] = (pair[0] / pair[1].clamp(min=1)).item()
        return result

    def averages_over_world(self) -> Dict[str, float]:
        names = [None] * dist.get_world_size()
        dist.all_gather_object(names, list(self._sums))
        result = {}
        for task in sorted({name for part in names for name in part}):
            pair = self._pair(task)
            dist.all_reduce(pair)
            result[f"loss/{task}"] = (pair[0] / pair[1].clamp(min=1)).item()
        return result


def train_epoch(model, optimizer, loader, meters: TaskMeters, log_every: int, log_fn) -> None:
    for step, batch in enumerate(loader, start=1):
        loss = model(batch["inputs"], batch["targets"], task=batch["task"])
        meters.update(batch["task"], loss.detach(), len(batch["inputs"]))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % log_every == 0:
            log_fn(step, meters.averages())
            meters.reset()

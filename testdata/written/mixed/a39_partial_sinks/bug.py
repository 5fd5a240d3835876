"""Metric sinks assembled from partials; chosen once when the trainer starts."""
import functools
from typing import Callable, Dict, List

import torch
import torch.distributed as dist

Stats = Dict[str, torch.Tensor]


def gather_stats(stats: Stats, *, group=None) -> Stats:
    world = dist.get_world_size(group)
    out = {}
    for name in sorted(stats):
        parts = [torch.empty_like(stats[name]) for _ in range(world)]
        dist.all_gather(parts, stats[name], group=group)
        out[name] = torch.stack(parts)
    return out


def keep_stats(stats: Stats, **_) -> Stats:
    return stats


def append_row(path: str, step: int, stats: Stats) -> None:
    values = ",".join(f"{stats[k].float().mean().item():.6f}" for k in sorted(stats))
    with open(path, "a") as f:
        f.write(f"{step},{values}\n")


def ignore_row(step: int, stats: Stats) -> None:
    del step, stats


class StatsRecorder:
    def __init__(self, path: str, group=None):
        is_main = dist.get_rank() == 0
        self.gather: Callable[[Stats], Stats] = functools.partial(gather_stats, group=group)
        self.prepare: Callable[[Stats], Stats] = self.gather if is_main else keep_stats
        self.emit: Callable[[int, Stats], None] = functools.partial(append_row, path) if is_main else ignore_row

    def record_step(self, step: int, stats: Stats) -> None:
        ready = self.prepare(stats)  # BUG 1
        self.emit(step, ready)

    def record_epoch(self, epoch: int, stats: Stats) -> None:
        ready = self.gather(stats)
        self.emit(epoch, ready)


def train(model, optimizer, batches: List, recorder: StatsRecorder, epochs: int) -> None:
    step = 0
    for epoch in range(epochs):
        for x, y in batches:
            loss = model(x.cuda(), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            recorder.record_step(step, {"loss": loss.detach()})
            step += 1
        recorder.record_epoch(epoch, {"loss": loss.detach()})

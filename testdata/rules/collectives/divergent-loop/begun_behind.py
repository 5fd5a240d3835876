"""Where a slice begins decides about the turns, not what is in it."""
import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader


def picked(items, rank, world, start):
    chosen = torch.empty([1000 // world], dtype=torch.long)
    chosen[: len(items) // world] = items[rank::world]
    return chosen[start:].tolist()


def resumed(items, folder):
    start = int(open("step.txt").read()) if os.path.exists(folder) else 0
    for item in picked(items, dist.get_rank(), dist.get_world_size(), start):
        dist.all_reduce(item)  # low: [divergent-loop]


def begun(items):
    for item in picked(items, dist.get_rank(), dist.get_world_size(), 0):
        dist.all_reduce(item)


def resumed_by_a_loader(items, folder):
    start = int(open("step.txt").read()) if os.path.exists(folder) else 0
    chosen = picked(items, dist.get_rank(), dist.get_world_size(), start)
    for item in enumerate(DataLoader(items, sampler=chosen), start=start):
        dist.all_reduce(item)  # low: [divergent-loop]

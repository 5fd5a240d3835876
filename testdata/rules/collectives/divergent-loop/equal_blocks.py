"""Shares of equal length: nothing to report (P05)."""
import torch.distributed as dist


def blocks(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    per_rank = len(items) // world
    for item in items[rank * per_rank : (rank + 1) * per_rank]:
        dist.all_reduce(item)

"""Distributed helpers used by the runner and hooks."""
import functools

import torch.distributed as dist


def get_dist_info():
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def master_only(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        rank, _ = get_dist_info()
        if rank == 0:
            return func(*args, **kwargs)

    return wrapper


def collect_results(part, size):
    _, world = get_dist_info()
    if world == 1:
        return part[:size]
    parts = [None] * world
    dist.all_gather_object(parts, part)
    ordered = [item for group in zip(*parts) for item in group]
    return ordered[:size]

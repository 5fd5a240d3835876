"""Stages in a row."""
import torch.distributed as dist

_OWN = None


def set_up(width):
    global _OWN
    for first in range(0, dist.get_world_size(), width):
        ranks = list(range(first, first + width))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            _OWN = group


def get_tensor_parallel_group():
    return _OWN


def reader(path):
    return open(path)

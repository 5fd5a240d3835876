"""Ranks skip the groups they are not in (P24)."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

_TP = None
_DP = None


def initialize(tp_size):
    global _TP, _DP
    rank, world = dist.get_rank(), dist.get_world_size()
    for i in range(world // tp_size):
        ranks = range(i * tp_size, (i + 1) * tp_size)
        group = dist.new_group(ranks)
        if rank in ranks:
            _TP = group
    for i in range(tp_size):
        ranks = list(range(i, world, tp_size))
        group = dist.new_group(ranks)
        if rank in ranks:
            _DP = group


def initialize_skipping(tp_size):
    global _TP
    rank, world = dist.get_rank(), dist.get_world_size()
    for i in range(world // tp_size):
        ranks = range(i * tp_size, (i + 1) * tp_size)
        if rank not in ranks:
            continue
        _TP = dist.new_group(ranks)  # error: [conditional-group-creation]

"""Groups that are dealt out to all ranks at the first use: each has one from then on, and none before (P04)."""

import torch.distributed as dist

_GROUP = None


def is_dealt_out():
    return _GROUP is not None


def deal_out(size):
    global _GROUP
    rank = dist.get_rank()
    for first in range(0, dist.get_world_size(), size):
        ranks = range(first, first + size)
        group = dist.new_group(ranks)
        if rank in ranks:
            _GROUP = group


def attend(size):
    if not is_dealt_out():
        deal_out(size)  # low: [conditional-group-creation]
    return _GROUP


def attend_on_some(size):
    if dist.get_rank() % 2 == 0:
        deal_out(size)  # error: [conditional-group-creation]

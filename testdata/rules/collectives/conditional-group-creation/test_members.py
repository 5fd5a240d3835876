"""A test in which each rank creates the group it is in: it is run, and gets through. One that leaves ranks out stays."""

import torch.distributed as dist


def test_each_its_own():
    rank = dist.get_rank()
    group = dist.new_group([0, 1]) if rank in (0, 1) else dist.new_group([2, 3])  # low: [conditional-group-creation]
    return group


def test_some_have_none():
    if dist.get_rank() in (0, 1):
        return dist.new_group([0, 1])  # low: [conditional-group-creation]
    return None

"""Groups over computed lists of ranks, on a branch for jobs that leave an axis out (P24)."""
import torch.distributed as dist


def two_rings(tp_group, width, rings):
    mine = None
    me = dist.get_rank()
    if dist.get_world_size(tp_group) > 1:
        for first in range(rings):
            ring = dist.new_group(list(range(first, dist.get_world_size(), rings)))
    else:
        for first in range(rings):
            ranks = list(range(first * width, (first + 1) * width))
            if me in ranks:
                mine = dist.new_group(ranks)  # error: [conditional-group-creation]
    return mine


def two_rings_in_step(tp_group, width, rings):
    mine = None
    me = dist.get_rank()
    if dist.get_world_size(tp_group) > 1:
        for first in range(rings):
            ring = dist.new_group(list(range(first, dist.get_world_size(), rings)))
    else:
        for first in range(rings):
            ranks = list(range(first * width, (first + 1) * width))
            ring = dist.new_group(ranks)
            if me in ranks:
                mine = ring
    return mine


class Slices:
    """One group for each rank: the loop's variable is no fact of this rank, whatever its name says."""

    def __init__(self, model_parallel_size):
        self.rank = dist.get_rank()
        self.mine = None
        if model_parallel_size == 1:
            for group_rank in range(dist.get_world_size()):
                ranks = [group_rank]
                group = dist.new_group(ranks=ranks)
                if ranks[0] == self.rank:
                    self.mine = group

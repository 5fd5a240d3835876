"""Groups that are kept under their members, made of all ranks for all, and asked for again by each of its members."""

import torch.distributed as dist


class Kept:
    def __init__(self):
        self.groups = {}

    def get(self, ranks):
        key = tuple(ranks)
        if key not in self.groups:
            self.groups[key] = dist.new_group(ranks)
        return self.groups[key]


KEPT = Kept()


class Grid:
    def __init__(self, tp_size, ranks=None):
        rank = dist.get_rank()
        if ranks is None:
            ranks = list(range(dist.get_world_size()))
        self.tp_ranks = None
        for first in range(len(ranks) // tp_size):
            line = [ranks[first * tp_size + place] for place in range(tp_size)]
            KEPT.get(line)
            if rank in line:
                self.tp_ranks = line

    def tp_group(self):
        return KEPT.get(self.tp_ranks)  # low: [conditional-group-creation]

    def group_nobody_has_made_before(self):
        return dist.new_group(self.tp_ranks)  # error: [conditional-group-creation]

"""Differences that are a guess on top of a guess, beside those that one can see (P02)."""
import os

import torch.distributed as dist


class Coordinator:
    def __init__(self, group, rank_in_group):
        self.group = group
        self.rank_in_group = rank_in_group

    def load(self, path, t):
        if os.path.exists(path):
            dist.all_reduce(t, group=self.group)  # low: [conditional-collective]

    def load_everywhere(self, path, t):
        if os.path.exists(path):
            dist.all_reduce(t)  # low: [conditional-collective]

    def make_everywhere(self, path, t):
        if not os.path.exists(path):
            open(path, "w").close()
            dist.all_reduce(t)  # error: [conditional-collective]

    def lead(self, t):
        if dist.get_rank(self.group) == 0:
            dist.all_reduce(t, group=self.group)  # error: [conditional-collective]


def load_checkpoint(path, rank0, t):
    if rank0:
        return None
    dist.all_reduce(t)
    return path


def load_on_the_first(path, t):
    if dist.get_rank() == 0:
        return None
    dist.all_reduce(t)  # error: [divergent-early-exit]
    return path

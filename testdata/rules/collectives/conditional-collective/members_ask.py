"""Ranks ask whether they belong to a group before they communicate on it."""

import os

import torch.distributed as dist


class Stage:
    def __init__(self, group, first):
        self.group = group
        self.first = first

    def is_member(self):
        if self.group is None:
            return False
        if dist.get_rank() in dist.get_process_group_ranks(self.group):
            if dist.get_rank() == dist.get_process_group_ranks(self.group)[0]:
                return self.first
            return True
        return False

    def share(self, weight):
        if self.is_member():
            dist.all_reduce(weight, group=self.group)  # low: [conditional-collective]



def share_if_there(x):
    group = dist.new_group([0, 1])
    if dist.get_rank() in dist.get_process_group_ranks(group) and os.path.exists("weight.pt"):
        dist.all_reduce(x, group=group)  # low: [conditional-collective]


def own_group(x):
    own = None
    for ranks in [[0, 1], [2, 3]]:
        ranks = sorted(ranks)
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            own = group
    if own is not None:
        dist.all_reduce(x, group=own)


def share_with_the_first(x, group):
    if dist.get_rank() in dist.get_process_group_ranks(group) and dist.get_rank() == 0:
        dist.all_reduce(x, group=group)  # low: [conditional-collective]


def share_on_the_first(x, group):
    if dist.get_rank() == 0:
        dist.all_reduce(x, group=group)  # error: [conditional-collective]


class Edge:
    """The masters of two nodes: whoever is asked for stands for this rank."""

    def __init__(self, master: int, source: int, target: int, local_rank: int):
        self.group = dist.new_group([source, target])
        if master in [source, target] and local_rank == 0:
            dist.all_reduce(torch.ones(1), group=self.group)  # low: [conditional-collective]

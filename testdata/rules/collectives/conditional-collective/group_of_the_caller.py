"""Helpers that tell the place in a group they are handed: it is the place in the caller's group."""
import torch.distributed as dist


def place_in(group):
    return dist.get_rank(group)


def is_first(group):
    return dist.get_rank(group) == 0


class Members:
    def __init__(self, group):
        self.place = dist.get_rank(group)


def by_place(tensor, group):
    if place_in(group) == 0:
        dist.all_reduce(tensor, group=group)  # error: [conditional-collective]


def by_predicate(tensor, group):
    if is_first(group):
        dist.all_reduce(tensor, group=group)  # error: [conditional-collective]


def by_object(tensor, group):
    members = Members(group)
    if members.place == 0:
        dist.all_reduce(tensor, group=group)  # error: [conditional-collective]


def of_both(tensor, tp_group, dp_group):
    """The first of each group along one axis are all of one along the other."""
    if is_first(tp_group):
        dist.all_reduce(tensor, group=dp_group)

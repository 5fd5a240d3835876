"""A rank that goes into an answer nobody knows: by an element of what the program holds, and through what an unknown
function makes of it; around groups whose members nobody knows."""

import torch.distributed as dist


def an_entry(x, table):
    if table[dist.get_rank()]:
        dist.all_reduce(x)  # error: [conditional-collective]


def what_is_made_of_it(x, make):
    if make(dist.get_rank()):
        dist.all_reduce(x)  # low: [conditional-collective]


def an_entry_around_a_group(x, table, group):
    if table[dist.get_rank()]:
        dist.all_reduce(x, group=group)  # low: [conditional-collective]


def an_entry_of_the_group(x, group):
    if group.ranks[dist.get_rank()]:
        dist.all_reduce(x, group=group)  # error: [conditional-collective]


def made_of_a_share(x, rows, make):
    if make(rows[dist.get_rank()]) > 3:
        dist.all_reduce(x)  # error: [conditional-collective]


def how_much_is_made_of_a_share(x, rows, make):
    if len(make(rows[dist.get_rank()])) > 3:
        dist.all_reduce(x)  # low: [conditional-collective]


def an_entry_of_a_parameter(rank, x, table):
    if table[rank]:
        dist.all_reduce(x)  # error: [conditional-collective]


def what_is_made_of_a_parameter(rank, x, make):
    if make(rank).ready:
        dist.all_reduce(x)  # low: [conditional-collective]

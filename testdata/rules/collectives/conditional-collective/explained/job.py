"""A rank that was asked for in another file, and goes into an answer that nobody knows: a variable of a module, an
attribute of a class, a function. Where several ask for it, the one nearest to where ranks part explains it."""

import torch.distributed as dist
from helper import PLACE, Base, log


def by_a_variable(x, table):
    if table[PLACE]:
        dist.all_reduce(x)  # error: [conditional-collective]


class Job(Base):
    def by_an_attribute(self, x, table):
        if table[self.place]:
            dist.all_reduce(x)  # error: [conditional-collective]


def is_chosen(table):
    return table[dist.get_rank()]


def by_the_nearest(x, args, table):
    log(args)
    if is_chosen(table):
        dist.all_reduce(x)  # error: [conditional-collective]


def by_a_name_far_away(x, args, table):
    if table[log(args)]:
        dist.all_reduce(x)  # low: [conditional-collective]

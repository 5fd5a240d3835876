"""A function that a constructor is handed and keeps with some of its arguments given."""
from functools import partial

import torch.distributed as dist


def reduce_all(x, op=None):
    dist.all_reduce(x)
    return x


def keep(x, op=None):
    return x


class Given:
    def __init__(self, function):
        self.function = partial(function, op=None)

    def go(self, x):
        return self.function(x)


def given(x):
    value = Given(reduce_all)
    if dist.get_rank() == 0:
        value.go(x)  # error: [conditional-collective]


def given_what_keeps_to_itself(x):
    value = Given(keep)
    if dist.get_rank() == 0:
        value.go(x)

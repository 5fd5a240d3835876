"""What a constructor is handed, kept with an argument or in the place of a method of its own."""
from functools import partial

import torch.distributed as dist


def summed(x, op=None):
    dist.all_reduce(x)


class Value:
    def __init__(self, fn):
        self.fn = partial(fn, op=None)

    def settle(self, x):
        return self.fn(x)


class Choice:
    def __init__(self, fn, alone=False):
        self.run = self.nothing if alone else fn

    def nothing(self, x):
        return x

    def settle(self, x):
        return self.run(x)


def with_an_argument(x):
    value = Value(summed)
    if dist.get_rank() == 0:
        value.settle(x)  # error: [conditional-collective]


def one_of_two(x):
    choice = Choice(summed)
    if dist.get_rank() == 0:
        choice.settle(x)  # error: [conditional-collective]

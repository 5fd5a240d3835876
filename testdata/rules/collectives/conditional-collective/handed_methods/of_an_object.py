"""A method of an object that another one is made with, and calls."""
from functools import partial

import torch.distributed as dist


class Strategy:
    def reduce(self, x, op=None):
        dist.all_reduce(x)
        return x


class Value:
    def __init__(self, reduce):
        self.reduce_value = reduce

    def compute_all(self, x):
        return self.reduce_value(x)


def main(x):
    strategy = Strategy()
    value = Value(strategy.reduce)
    if dist.get_rank() == 0:
        value.compute_all(x)  # error: [conditional-collective]

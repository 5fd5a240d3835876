"""Functions and operations that are called under another name: a variable's, an attribute's, a parameter's."""
from functools import partial

import torch.distributed as dist

total = dist.all_reduce


def average(t, group=None):
    dist.all_reduce(t, group=group)


def nothing(t):
    return t


def by_module_variable(t):
    if dist.get_rank() == 0:
        total(t)  # error: [conditional-collective]


def by_local_variable(t):
    reduce = dist.all_reduce
    if dist.get_rank() == 0:
        reduce(t)  # error: [conditional-collective]


def by_choice(t):
    reduce = average if dist.get_rank() == 0 else nothing
    reduce(t)  # error: [conditional-collective]


def by_choice_of_all(t, fast):
    reduce = average if fast else nothing
    reduce(t)


class Timer:
    def __init__(self):
        self._wait = dist.barrier

    def stop(self):
        if dist.get_rank() == 0:
            self._wait()  # error: [conditional-collective]

    def stop_all(self):
        self._wait()


class Trainer:
    def __init__(self, fast):
        self.step_of = self._fast if fast else self._slow

    def _fast(self, t):
        return t

    def _slow(self, t):
        dist.all_reduce(t)

    def train(self, t):
        if dist.get_rank() == 0:
            self.step_of(t)  # error: [conditional-collective]


class Holder:
    def __init__(self, function):
        self.function = function

    def on_first(self, t):
        if dist.get_rank() == 0:
            self.function(t)

    def on_all(self, t):
        self.function(t)


def by_holder(t):
    Holder(average).on_first(t)  # error: [conditional-collective]


def by_holder_of_all(t):
    Holder(average).on_all(t)

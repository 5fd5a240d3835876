"""Decorators of the program that are given the rank, or are classes."""
import functools
import time

import torch.distributed as dist


def only(rank):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            if dist.get_rank() == rank:
                return function(*args, **kwargs)
            return None

        return inner

    return wrap


def timed(name):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            start = time.time()
            result = function(*args, **kwargs)
            print(name, time.time() - start)
            return result

        return inner

    return wrap


class OnFirst:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        if dist.get_rank() == 0:
            return self.function(*args)
        return None


@only(rank=0)
def save(t):
    dist.all_reduce(t)


@timed("step")
def step(t):
    dist.all_reduce(t)


@OnFirst
def report(t):
    dist.barrier()


def run(t):
    step(t)
    save(t)  # error: [conditional-collective]
    report(t)  # error: [conditional-collective]

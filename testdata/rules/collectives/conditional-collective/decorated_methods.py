"""Decorators of the program that run a method on one rank: what the method asks of its peers it asks alone."""
import functools

import torch
import torch.distributed as dist


def on_the_first_rank(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return None

    return wrapper


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


class Meter:
    def __init__(self):
        self.tokens = 0

    def rate(self):
        total = torch.tensor([float(self.tokens)])
        dist.all_reduce(total)
        return total.item()


class Loop:
    def __init__(self):
        self.meter = Meter()

    @on_the_first_rank
    def report(self, step):
        print(step, self.meter.rate())

    @counted
    def report_together(self, step):
        rate = self.meter.rate()
        if dist.get_rank() == 0:
            print(step, rate)

    @on_the_first_rank
    def tell(self, step, rate):
        print(step, rate)

    def run(self, steps):
        for step in range(steps):
            self.report_together(step)
            self.tell(step, self.meter.rate())
            if step % 10 == 0:
                self.report(step)  # error: [conditional-collective]

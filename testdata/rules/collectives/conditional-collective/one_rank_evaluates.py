"""A method that a decorator of the program lets one rank run, called on whatever somebody was handed."""
import functools

import torch.distributed as dist


def rank_and_size():
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


def master_only(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        rank, _ = rank_and_size()
        if rank == 0:
            return function(*args, **kwargs)

    return wrapper


def collect(results):
    parts = [None] * rank_and_size()[1]
    dist.all_gather_object(parts, results)
    return parts


class Metric:
    def __init__(self):
        self.results = []

    @master_only
    def evaluate(self):  # error: [conditional-collective]
        return collect(self.results)

    @master_only
    def show(self, parts):
        print(parts)


class Loop:
    def __init__(self, metric):
        self.metric = metric

    def run(self):
        self.metric.show(self.metric.evaluate())
        dist.barrier()

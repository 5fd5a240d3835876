"""A method that is handed to a decorator may run in another process than the one that calls it."""

import functools

import ray
import torch
import torch.distributed as dist


def register(mode):
    def remember(method):
        method.mode = mode
        return method

    return remember


class Worker:
    @register(mode="all")
    def save_whole_checkpoint(self):
        dist.barrier()

    @ray.method(num_returns=1)
    def gather_every_metric(self, x):
        dist.all_reduce(x)

    @functools.cache
    def agree_upon_the_length(self, x):
        dist.all_reduce(x)

    @torch.no_grad()
    def average_all_parameters(self, x):
        dist.all_reduce(x)


class Driver:
    def fit(self, worker, x):
        if x.sum() > dist.get_rank():
            worker.save_whole_checkpoint()

    def step(self, worker, x):
        if dist.get_rank() == 0:
            worker.average_all_parameters(x)  # error: [conditional-collective]

    def report(self, worker, x):
        if dist.get_rank() == 0:
            worker.gather_every_metric(x)

    def measure(self, worker, x):
        if dist.get_rank() == 0:
            worker.agree_upon_the_length(x)  # error: [conditional-collective]

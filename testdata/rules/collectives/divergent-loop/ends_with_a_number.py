"""Loops that a number ends: the loader goes on for ever."""

import itertools

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Sampler


class Endless(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        yield from itertools.islice(self.endless(), dist.get_rank(), None, dist.get_world_size())

    def endless(self):
        while True:
            yield from torch.randperm(self.size).tolist()


def train(net, data, steps):
    model = DDP(net)
    loader = DataLoader(data, sampler=Endless(len(data)))
    for _, batch in zip(range(steps), loader):
        model(batch).mean().backward()  # low: [divergent-loop]

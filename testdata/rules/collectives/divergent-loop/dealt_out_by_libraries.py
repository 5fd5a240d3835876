"""Shares that a library deals out by turns: the first ranks have one item more where it does not come out even."""
import itertools

import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader, Sampler


class Strided(Sampler):
    def __init__(self, data, rank, world):
        self.data, self.rank, self.world = data, rank, world

    def __iter__(self):
        return iter(range(len(self.data))[self.rank :: self.world])


class Even(Sampler):
    def __init__(self, data, rank, world):
        self.data, self.rank, self.world = data, rank, world
        self.num_samples = len(data) // world

    def __iter__(self):
        return iter(range(len(self.data))[self.rank :: self.world][: self.num_samples])


def sharded(name, x):
    data = load_dataset(name)
    mine = data.shard(dist.get_world_size(), dist.get_rank())
    for item in mine:
        dist.all_reduce(x)  # error: [divergent-loop]
    for item in data.shard(num_shards=8, index=0):
        dist.all_reduce(x)


def split(name, x):
    mine = split_dataset_by_node(load_dataset(name), rank=dist.get_rank(), world_size=dist.get_world_size())
    for item in mine:
        dist.all_reduce(x)  # error: [divergent-loop]


def sliced(items, x):
    for item in itertools.islice(items, dist.get_rank(), None, dist.get_world_size()):
        dist.all_reduce(x)  # error: [divergent-loop]


def sampled(data, x):
    for batch in DataLoader(data, sampler=Strided(data, dist.get_rank(), dist.get_world_size())):
        dist.all_reduce(x)  # error: [divergent-loop]
    for batch in DataLoader(data, sampler=Even(data, dist.get_rank(), dist.get_world_size())):
        dist.all_reduce(x)

"""Objects of the program that a loop goes through, made with this rank's own share."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class GraphLoader(DataLoader):
    def __init__(self, graph, indices, batch_size=1):
        self.graph = graph
        super().__init__(indices, batch_size=batch_size)

    def __iter__(self):
        return Prefetching(super().__iter__())


class Prefetching:
    def __init__(self, inner):
        self.inner = inner

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.inner)


class EvenLoader(DataLoader):
    def __init__(self, indices, batch_size=1):
        super().__init__(indices, batch_size=batch_size, sampler=DistributedSampler(indices))


class Windows:
    def __init__(self, items, width):
        self.items = items
        self.width = width

    def __iter__(self):
        for first in range(0, len(self.items), self.width):
            yield self.items[first : first + self.width]


class Endless:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        while True:
            yield from self.items


def train_on_nodes(model, graph, nodes):
    own = torch.split(nodes, 1000)[dist.get_rank()]
    model = DistributedDataParallel(model)
    loader = GraphLoader(graph, own)
    for batch in loader:
        model(batch)  # error: [divergent-loop]


def train_on_windows(model, items):
    own = items[dist.get_rank() :: dist.get_world_size()]
    model = DistributedDataParallel(model)
    for window in Windows(own, 8):
        model(window)  # error: [divergent-loop]


def train_evenly(model, nodes):
    own = torch.split(nodes, 1000)[dist.get_rank()]
    model = DistributedDataParallel(model)
    for batch in EvenLoader(own):
        model(batch)


def train_on_all(model, graph, nodes):
    model = DistributedDataParallel(model)
    for batch in GraphLoader(graph, nodes, dist.get_rank()):
        model(batch)


def train_for_steps(model, items, steps):
    own = items[dist.get_rank() :: dist.get_world_size()]
    model = DistributedDataParallel(model)
    for step, item in enumerate(Endless(own)):
        model(item)
        if step == steps:
            break

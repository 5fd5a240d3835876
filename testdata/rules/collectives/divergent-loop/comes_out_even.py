"""What is dealt out was cut or filled up to a multiple of the number of ranks, or refused."""
import math

import torch.distributed as dist


def asserted(items, x):
    world = dist.get_world_size()
    assert len(items) % world == 0
    for item in items[dist.get_rank() :: world]:
        dist.all_reduce(x)  # low: [divergent-loop]


def filled_up(items, x):
    world = dist.get_world_size()
    total = math.ceil(len(items) / world) * world
    items = items + items[: total - len(items)]
    for item in items[dist.get_rank() : total : world]:
        dist.all_reduce(x)  # low: [divergent-loop]


def cut(items, x):
    world = dist.get_world_size()
    for number in range(dist.get_rank(), len(items) - len(items) % world, world):
        dist.all_reduce(x)  # low: [divergent-loop]


def whole_shares(items, x):
    per = len(items) // dist.get_world_size()
    rank = dist.get_rank()
    for number in range(rank * per, (rank + 1) * per):
        dist.all_reduce(x)  # low: [divergent-loop]


def refused(items, x):
    world = dist.get_world_size()
    if len(items) % world:
        raise ValueError("the items do not come out even")
    for item in items[dist.get_rank() :: world]:
        dist.all_reduce(x)  # low: [divergent-loop]


def uneven(items, x):
    world = dist.get_world_size()
    for number in range(dist.get_rank(), len(items), world):
        dist.all_reduce(x)  # error: [divergent-loop]


class Generator:
    def __init__(self, model):
        self.model = model.to("cuda")

    def generate(self, items):
        for item in items[dist.get_rank() :: dist.get_world_size()]:
            self.model.generate(item)
        dist.barrier()

"""A generator alone, of which only what it yields says that ranks go through other items."""

import torch.distributed as dist


def mine(items):
    for index, item in enumerate(items):
        if index % dist.get_world_size() == dist.get_rank():
            yield item


def reduce_mine(items, t):
    for _ in mine(items):
        dist.all_reduce(t)  # error: [divergent-loop]

"""A root that is a parameter called as a rank is: with a value of its own it is a wish, the same for all."""

import torch.distributed as dist


def share_from(x, rank):
    dist.broadcast(x, src=rank)  # error: [wrong-root]


def share_from_the_first_unless_wished(x, rank=0):
    dist.broadcast(x, src=rank)  # low: [wrong-root]

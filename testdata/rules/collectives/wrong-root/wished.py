"""A root that is a parameter called as a rank is: a wish, or the number that owns something. Who hands over its own is found."""

import torch.distributed as dist


def share_from(x, rank):
    dist.broadcast(x, src=rank)


def share_from_the_first_unless_wished(x, rank=0):
    dist.broadcast(x, src=rank)


def share_each(parameters, owners):
    for name, parameter in parameters:
        share_from(parameter, owners[name])


def send_mine(x, rank):
    dist.broadcast(x, src=rank)


def share_mine(x):
    send_mine(x, dist.get_rank())  # error: [wrong-root]

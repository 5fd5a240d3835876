"""Roots that every process works out for itself, from what is another in each."""
import os
import random
import zlib

import torch.distributed as dist


def by_hash(model):
    world = dist.get_world_size()
    for name, parameter in model.named_parameters():
        owner = hash(name) % world
        dist.broadcast(parameter.data, src=owner)  # error: [wrong-root]


def by_checksum(model):
    world = dist.get_world_size()
    for name, parameter in model.named_parameters():
        owner = zlib.crc32(name.encode()) % world
        dist.broadcast(parameter.data, src=owner)


def by_process(x):
    dist.broadcast(x, src=os.getpid() % 2)  # error: [wrong-root]


def drawn(x):
    dist.broadcast(x, src=random.randrange(dist.get_world_size()))  # error: [wrong-root]


def drawn_by_one(x):
    chosen = [random.randrange(dist.get_world_size())]
    dist.broadcast_object_list(chosen, src=0)
    dist.broadcast(x, src=chosen[0])

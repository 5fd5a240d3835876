import os

import torch.distributed as dist

from . import keys


def values(names):
    return [(name, os.environ.get(name)) for name in names]


def check():
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, values(keys.PARITY_KEYS))
    if any(one != everyone[0] for one in everyone):
        raise RuntimeError("flags differ")

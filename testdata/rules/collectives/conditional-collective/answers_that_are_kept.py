"""A function whose answer is kept: who asks again issues nothing."""

import functools
import os

import torch.distributed as dist


@functools.lru_cache(maxsize=1)
def layout():
    names = [None] * dist.get_world_size()
    dist.all_gather_object(names, os.uname().nodename)
    return tuple(names)


def asked_by_all_before():
    print(len(layout()))
    if dist.get_rank() == 0:
        print(layout()[0])  # low: [conditional-collective]

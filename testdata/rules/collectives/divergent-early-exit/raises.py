"""Raising: on one rank alone with a handler it hangs, everywhere it is fine (P03)."""
import os
import sys

import torch
import torch.distributed as dist


def check_shard(path, t):
    bad = torch.tensor([int(not os.path.exists(path))])
    dist.all_reduce(bad, op=dist.ReduceOp.MAX)
    if bad.item():
        raise FileNotFoundError(path)
    dist.all_reduce(t)


def check_arguments(t, config):
    if config.hidden % config.heads:
        raise ValueError("heads must divide hidden")
    dist.all_reduce(t)


def leave(t):
    if dist.get_rank() == 0:
        sys.exit(0)
    dist.all_reduce(t)  # error: [divergent-early-exit]


def tolerate(path, t):
    try:
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        dist.all_reduce(t)  # error: [divergent-early-exit]
    except FileNotFoundError:
        print("no shard")

"""A part of a tensor is there where the tensor is, whoever takes it."""

import torch.distributed as dist


def cut_on_some(x, key):
    rank = dist.get_rank()
    if rank > 0:
        x = x[:, 1:]
        if key is not None:
            key = key[1:]
    if x is not None:
        dist.all_reduce(x)
    if key is not None:
        dist.all_reduce(key)


def taken_on_some(x):
    if dist.get_rank() > 0:
        x = None
    if x is not None:
        dist.all_reduce(x)  # error: [conditional-collective]

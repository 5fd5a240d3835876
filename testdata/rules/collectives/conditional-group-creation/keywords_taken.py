"""Keyword arguments that a function takes out of the rest: absent, the default holds; given, what the caller gave."""

import torch.distributed as dist


def load(path, **kwargs):
    strict = kwargs.pop("strict", True)
    parallel = kwargs.pop("parallel", None)
    if kwargs:
        raise TypeError(path)
    if parallel is not None:
        dist.new_group(parallel)
    return path, strict


def plain():
    if dist.get_rank() == 0:
        load("model", strict=False)


def in_parallel():
    if dist.get_rank() == 0:
        load("model", parallel=[0, 1])  # error: [conditional-group-creation]

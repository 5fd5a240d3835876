"""The rank under one of several keys of the environment, whichever the launcher has set."""
import os

import torch.distributed as dist

RANK_KEYS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")
SIZE_KEYS = ("WORLD_SIZE", "SLURM_NTASKS")
JOB_KEYS = ("RANK", "WORLD_SIZE", "MASTER_ADDR")


def first_of(keys, default):
    for key in keys:
        value = os.environ.get(key)
        if value is not None:
            return int(value)
    return default


def by_caller(tensor):
    if first_of(RANK_KEYS, 0) == 0:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def by_loop(tensor):
    number = 0
    for key in RANK_KEYS:
        if key in os.environ:
            number = int(os.environ[key])
            break
    if number == 0:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def by_generator(tensor):
    number = next((os.environ[key] for key in ("RANK", "SLURM_PROCID") if key in os.environ), "0")
    if number == "0":
        dist.all_reduce(tensor)  # error: [conditional-collective]


def by_size(tensor):
    """As many everywhere."""
    if first_of(SIZE_KEYS, 1) > 1:
        dist.all_reduce(tensor)


def by_all_keys(tensor):
    """Whether the launcher has set them all, which it has for everybody or nobody."""
    for key in JOB_KEYS:
        if not os.environ.get(key):
            return
    dist.all_reduce(tensor)

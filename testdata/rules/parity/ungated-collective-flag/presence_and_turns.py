"""Flags that are asked for by their presence, that say how often, and that call what issues the collective."""
import os

import torch.distributed as dist


def check(t):
    dist.all_reduce(t)


def presence(t):
    if "DEBUG_ALLREDUCE" in os.environ:
        dist.all_reduce(t)  # error: [ungated-collective-flag]


def turns(t):
    for _ in range(int(os.environ.get("DEBUG_REPEAT", "1"))):
        dist.all_reduce(t)  # error: [ungated-collective-flag]


def by_call(t):
    if os.environ.get("DEBUG_CHECKS"):
        check(t)  # error: [ungated-collective-flag]


def launcher(t):
    if "MASTER_ADDR" in os.environ:
        dist.all_reduce(t)

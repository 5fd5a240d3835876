"""Gates by presence, by a class attribute, and by a number of turns (P14)."""
import os

import torch.distributed as dist


class Settings:
    trace = os.environ.get("TRACE_MODE", "") != ""


def presence(loss):
    if "DEBUG_ALLREDUCE" in os.environ:
        dist.all_reduce(loss)  # error: [ungated-collective-flag]


def attribute(loss):
    if Settings.trace:
        dist.barrier()  # error: [ungated-collective-flag]


def attribute_local(loss):
    if Settings.trace:
        print(loss)


def turns(loss):
    for _ in range(int(os.environ.get("DEBUG_REPEAT", "1"))):
        dist.all_reduce(loss)  # error: [ungated-collective-flag]

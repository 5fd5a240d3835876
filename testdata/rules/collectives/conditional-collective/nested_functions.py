"""Closures, nested functions, default arguments and static methods carry a rank (P10)."""
import os

import torch.distributed as dist

RANK = int(os.environ.get("RANK", "0"))
IS_MAIN = RANK == 0


def module_constant(t):
    if IS_MAIN:
        dist.all_reduce(t)  # error: [conditional-collective]


def module_constant_in_step(t):
    dist.all_reduce(t)
    if IS_MAIN:
        print(t)


def outer_in_step(t):
    rank = dist.get_rank()

    def inner():
        if rank == 0:
            print(t)
        dist.barrier()

    inner()
    return inner


class Utils:
    @staticmethod
    def main_process():
        return dist.get_rank() == 0

    @classmethod
    def fence(cls):
        dist.barrier()


def through_utils():
    if Utils.main_process():
        Utils.fence()  # error: [conditional-collective]


def through_utils_in_step():
    if Utils.main_process():
        print("main")
    Utils.fence()


def parameter(t, enabled):
    if enabled:
        dist.all_reduce(t)


def passes_rank(t):
    parameter(t, dist.get_rank() == 0)  # error: [conditional-collective]


def passes_setting(t, config):
    parameter(t, config.reduce)

"""Functional collectives and object collectives under a guard (P01)."""
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed import all_gather_object, get_rank, monitored_barrier


def functional(t):
    if get_rank() == 0:
        t = funcol.all_reduce(t, "sum", group=dist.group.WORLD)  # error: [conditional-collective]
    return t


def functional_in_step(t):
    t = funcol.all_reduce(t, "sum", group=dist.group.WORLD)
    if get_rank() == 0:
        print(t)
    return t


def objects(stats):
    everyone = [None] * dist.get_world_size()
    if stats and get_rank() == 0:
        print(stats)
    all_gather_object(everyone, stats)
    return everyone


def wait_for_main():
    if get_rank() == 0:
        monitored_barrier()  # error: [conditional-collective]

"""Loops over what lies in a folder, and loops that go on for as long as a clock or the memory of a rank says."""
import os
import time

import torch
import torch.distributed as dist


def over_a_listing(x, folder):
    for name in os.listdir(folder):
        dist.all_reduce(x)  # low: [divergent-loop]
        torch.save(x, os.path.join(folder, name + ".pt"))


def until_a_time(x, end):
    while time.time() < end:
        dist.all_reduce(x)  # error: [divergent-loop]


def until_memory_is_free(x):
    while torch.cuda.mem_get_info()[0] > 1000:
        dist.all_reduce(x)  # error: [divergent-loop]

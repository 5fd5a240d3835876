"""A partial of a collective, and a lambda bound at module level (P10)."""
from functools import partial

import torch.distributed as dist

sync_all = partial(dist.all_reduce, op=dist.ReduceOp.AVG)
fence = lambda: dist.barrier()  # noqa: E731


def average(t):
    if dist.get_rank() == 0:
        sync_all(t)  # error: [conditional-collective]


def average_in_step(t):
    sync_all(t)
    if dist.get_rank() == 0:
        print(t)


def wait():
    if dist.get_rank() == 0:
        fence()  # error: [conditional-collective]


def wait_in_step():
    fence()

"""A way of many calls beside another inferred step is too much to be sure (P02)."""
import os

import torch.distributed as dist


def fifth(t):
    dist.all_reduce(t)


def fourth(t):
    fifth(t)


def third(t):
    fourth(t)


def second(t):
    third(t)


def first(t):
    second(t)


def far(path, t):
    if not os.path.exists(path):
        open(path, "w").close()
        first(t)  # low: [conditional-collective]


def near(path, t):
    if not os.path.exists(path):
        open(path, "w").close()
        fifth(t)  # error: [conditional-collective]


def far_but_sure(t):
    if dist.get_rank() == 0:
        first(t)  # error: [conditional-collective]

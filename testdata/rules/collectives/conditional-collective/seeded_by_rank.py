"""Numbers that each rank draws: alike where nothing else is said, each its own where the file seeds with the rank (P15)."""
import random

import torch
import torch.distributed as dist


def set_seed(seed):
    own = seed + dist.get_rank()
    random.seed(own)
    torch.manual_seed(own)


def mix(t, share):
    if random.random() < share:
        dist.all_reduce(t)  # error: [conditional-collective]

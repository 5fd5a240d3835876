"""The seed is handed over by its name (P15)."""
import random

import torch
import torch.distributed as dist


def set_seed(seed):
    torch.manual_seed(seed=seed + dist.get_rank())


def mix(t, share):
    if random.random() < share:
        dist.all_reduce(t)  # error: [conditional-collective]

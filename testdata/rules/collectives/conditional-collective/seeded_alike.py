"""The same without the rank in the seed: ranks of one job draw alike, as a rule (P15)."""
import random

import torch.distributed as dist


def set_seed(seed):
    random.seed(seed)


def mix(t, share):
    if random.random() < share:
        dist.all_reduce(t)  # low: [conditional-collective]

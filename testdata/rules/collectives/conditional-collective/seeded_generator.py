"""A generator seeded with a value that all share is the same everywhere (P16)."""
import random

import torch
import torch.distributed as dist


def dropout_layer_in_step(t, p, step):
    if random.Random(step).random() < p:
        dist.all_reduce(t)


def seeded_module(t, p):
    random.seed(1234)
    if random.random() < p:
        dist.all_reduce(t)


def seeded_tensor(t, p):
    generator = torch.Generator().manual_seed(1234)
    if torch.rand(1, generator=generator).item() < p:
        dist.all_reduce(t)


def seeded_by_rank(t, p):
    if random.Random(dist.get_rank()).random() < p:
        dist.all_reduce(t)  # low: [conditional-collective]

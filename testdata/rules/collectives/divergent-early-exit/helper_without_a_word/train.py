"""Conditions that are answered in another file."""
import torch.distributed as dist

from .answers import first
from .budget import Budget


def train(steps, x):
    budget = Budget(60)
    for step in range(steps):
        dist.all_reduce(x)  # error: [divergent-early-exit]
        if budget.is_spent():
            break


def save(x):
    if first(dist.get_rank()):
        dist.broadcast(x, src=0)  # error: [conditional-collective]

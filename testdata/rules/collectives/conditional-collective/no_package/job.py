"""Relative imports in a folder without `__init__.py`, checked from inside."""
import torch.distributed as dist

from . import steps
from .steps import meet


def run(t):
    if dist.get_rank() == 0:
        steps.meet(t)  # error: [conditional-collective]


def run_by_name(t):
    if dist.get_rank() == 0:
        meet(t)  # error: [conditional-collective]


def run_in_step(t):
    steps.meet(t)
    if dist.get_rank() == 0:
        steps.show(t)

"""Main process first, with and without an exit between the halves (P08, P13)."""
import os
from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def main_first():
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()
    try:
        yield
    finally:
        if rank == 0:
            dist.barrier()


def tokenise(dataset):
    with main_first():
        dataset = dataset.map(len)
    return dataset


def tokenise_or_leave(dataset):
    with main_first():
        if dataset.cached:
            return dataset
        return dataset.map(len)

"""Rank 0 leaves between the halves and never releases the others: one cause, one finding (P08)."""
import os
from contextlib import contextmanager

import torch.distributed as dist


def fetch(repo, cache):
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()  # error: [conditional-collective]
    path = os.path.join(cache, repo)
    if cache.contains(repo):
        return path
    if rank == 0:
        dist.barrier()
    return path

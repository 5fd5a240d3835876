"""A sandwich of barriers with a way out between its halves: what lies on the disk may be the same for all, and the first
rank still leaves the others in the first half."""
import os

import torch
import torch.distributed as dist


def prepare(path):
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()  # error: [conditional-collective]
    if os.path.isfile(path):
        return torch.load(path)
    table = torch.randn(16)
    torch.save(table, path)
    if rank == 0:
        dist.barrier()  # error: [conditional-collective]  # low: [divergent-early-exit]
    return table


def prepare_in_step(path):
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()
    if os.path.isfile(path):
        table = torch.load(path)
    else:
        table = torch.randn(16)
        torch.save(table, path)
    if rank == 0:
        dist.barrier()
    return table

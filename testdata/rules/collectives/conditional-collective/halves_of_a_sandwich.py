"""Two halves of a sandwich under one fact: who shows that the fact may differ has said all there is to say."""
import os

import torch.distributed as dist


def load(path, model):
    rank = dist.get_rank()
    is_missing = not os.path.exists(path)
    if is_missing and rank != 0:
        dist.barrier()
    model.load(path)
    if is_missing and rank == 0:
        dist.barrier()  # low: [conditional-collective]
    dist.all_reduce(model.loss)


def load_half(path, model):
    rank = dist.get_rank()
    is_missing = not os.path.exists(path)
    if is_missing and rank != 0:
        dist.barrier()  # error: [conditional-collective]
    model.load(path)
    dist.all_reduce(model.loss)

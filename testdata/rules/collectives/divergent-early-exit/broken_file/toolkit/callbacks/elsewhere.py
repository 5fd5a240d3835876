"""A callback that validates on what each rank has."""
import torch.distributed as dist
from toolkit.others.films import films as shown


def validate(total):
    rank = dist.get_rank()
    if rank == 0 and shown(rank, 2):
        return
    dist.all_reduce(total)  # error: [divergent-early-exit]

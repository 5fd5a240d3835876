import torch
import torch.distributed as dist

from ..utils.dist_utils import get_rank, is_dist, synchronize


def save_checkpoint(state, path):
    if get_rank() == 0:
        torch.save(state, path)
    synchronize()


def prune(paths):
    if get_rank() == 0:
        for path in paths:
            path.unlink()


def is_ready():
    return is_dist()

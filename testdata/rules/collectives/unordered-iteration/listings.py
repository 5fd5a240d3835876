"""Directory listings (P17, P19)."""
import glob
import os
from pathlib import Path

import torch
import torch.distributed as dist


def in_order(folder):
    for name in sorted(os.listdir(folder)):
        print(name)
    dist.barrier()


def nothing_issued(folder):
    sizes = []
    for path in glob.glob(os.path.join(folder, "*.pt")):
        sizes.append(os.path.getsize(path))
    return sizes


def from_rank_zero(folder):
    names = [os.listdir(folder)]
    dist.broadcast_object_list(names, src=0)
    for name in names[0]:
        dist.all_reduce(torch.load(name))


def only_one_rank_looks(folder):
    if dist.get_rank() == 0:
        for path in Path(folder).iterdir():
            path.unlink()
    dist.barrier()

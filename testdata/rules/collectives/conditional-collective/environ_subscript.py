"""The rank from the environment by subscript, and as a string (P01)."""
import os

import torch.distributed as dist


def subscript(loss):
    if int(os.environ["RANK"]) == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


def subscript_in_step(loss):
    dist.all_reduce(loss)
    if int(os.environ["RANK"]) == 0:
        print(loss.item())


def text(loss):
    if os.environ["RANK"] == "0":
        dist.all_reduce(loss)  # error: [conditional-collective]


def slurm(loss):
    if os.environ.get("SLURM_PROCID") == "0":
        dist.all_reduce(loss)  # error: [conditional-collective]


def world_size(loss):
    if int(os.environ["WORLD_SIZE"]) > 1:
        dist.all_reduce(loss)

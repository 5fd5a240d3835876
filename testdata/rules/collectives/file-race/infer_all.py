"""A program that one process runs, as a rule, by the name of its file: the race is of low confidence."""
import os

import torch.distributed as dist


def answer(folder, t):
    if not os.path.exists(folder):
        os.makedirs(folder)  # low: [file-race]
    dist.all_reduce(t)

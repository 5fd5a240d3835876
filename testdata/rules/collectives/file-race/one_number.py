"""Who joins the job under a number that is written out has no peers, whatever is said of how many there are."""
import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def setup(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


def train_alone(model, folder):
    if not os.path.exists(folder):
        os.makedirs(folder)
    setup(0, 1)
    return DDP(model)


def train(rank, model, folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    setup(rank, 2)
    return DDP(model)

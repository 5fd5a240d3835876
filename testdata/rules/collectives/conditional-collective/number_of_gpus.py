"""The number of GPUs is that of ranks, where each rank has one."""

import time

import torch
import torch.distributed as dist


def evaluate(x):
    dist.broadcast(x, 0)


def train(rank, num_gpus, every, start, x, device, ticks):
    restart = torch.tensor(0.0, device=device)
    done = False
    while True:
        if rank == 0 and time.time() - start > every:
            restart = torch.tensor(1.0, device=device)
        if num_gpus > 1:
            dist.broadcast(restart, 0)
        if restart:
            done = True
        data = None
        if done or x % ticks == 0:
            data = dict(a=1)
        if data is not None:
            evaluate(x)
        if x > 100:
            break


def train_on_one(rank, num_gpus, every, start, x, device):
    restart = torch.tensor(0.0, device=device)
    if rank == 0 and time.time() - start > every:
        restart = torch.tensor(1.0, device=device)
    if num_gpus > 1 and restart:
        evaluate(x)  # low: [conditional-collective]

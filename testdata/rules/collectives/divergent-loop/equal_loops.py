"""Loops whose number of turns is the same everywhere: nothing to report (P05, P08)."""
import itertools

import torch
import torch.distributed as dist


def buckets(model, size):
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)


def steps(config, loader, t):
    for batch in itertools.islice(loader, 100):
        dist.all_reduce(t)
    for epoch in range(config.epochs):
        for step in range(config.steps_per_epoch):
            dist.all_reduce(t)


def every_rank_in_turn(t):
    for rank in range(dist.get_world_size()):
        if rank == dist.get_rank():
            print("rank", rank, t)
        dist.barrier()


def roots(t):
    for root in range(dist.get_world_size()):
        dist.broadcast(t, src=root)


def tree(t):
    rank, world = dist.get_rank(), dist.get_world_size()
    mask = 1
    while mask < world:
        if rank & mask:
            dist.send(t, rank ^ mask)
            break
        if rank | mask < world:
            dist.recv(t, rank | mask)
        mask <<= 1

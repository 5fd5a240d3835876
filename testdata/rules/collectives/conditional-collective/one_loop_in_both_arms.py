"""Ranks that go through one loop in either arm, each with a logger of its own or none, differ in its turns alone."""
import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def train_epoch(net, loader, writer):
    for batch in loader:
        loss = net(batch)
        loss.backward()
        if writer is not None:
            writer.add(loss)


def run(rank, net, dataset, writer):
    net = DDP(net)
    how = {}
    if os.cpu_count() > 1:
        how["prefetch_factor"] = 2
    loader = DataLoader(dataset, **how)
    for _ in range(10):
        if rank == 0:
            train_epoch(net, loader, writer)  # low: [divergent-loop]
        else:
            train_epoch(net, loader, None)


def run_on_the_first(rank, net, dataset, writer):
    net = DDP(net)
    how = {}
    if os.cpu_count() > 1:
        how["prefetch_factor"] = 2
    loader = DataLoader(dataset, **how)
    for _ in range(10):
        if rank == 0:
            train_epoch(net, loader, writer)  # error: [conditional-collective]  # low: [divergent-loop]
        else:
            print("waits")


def reduce_where(go, x):
    if go:
        dist.all_reduce(x)


def either_way(rank, flag, x):
    if flag:
        reduce_where(rank == 0, x)  # error: [conditional-collective]
    else:
        reduce_where(rank == 5, x)  # error: [conditional-collective]


def either_rank(rank, x):
    if rank < 4:
        reduce_where(rank == 0, x)  # error: [conditional-collective]
    else:
        reduce_where(rank == 5, x)  # error: [conditional-collective]


def either_way_alike(rank, flag, x):
    if flag:
        reduce_where(rank == 0, x)  # error: [conditional-collective]
    else:
        reduce_where(rank == 0, x)  # error: [conditional-collective]

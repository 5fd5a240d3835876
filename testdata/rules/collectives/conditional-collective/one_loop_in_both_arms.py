"""Ranks that go through one loop in either arm, each with a logger of its own or none, differ in its turns alone."""
import os

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

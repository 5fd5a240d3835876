"""An object that only the first rank has removes files there alone."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Saver:
    def __init__(self, folder):
        self.folder = folder

    def keep(self, state):
        last = os.path.join(self.folder, "last.pth")
        if os.path.exists(last):
            os.unlink(last)
        os.rename(state, last)


class Keeper:
    def __init__(self, folder):
        self.folder = folder

    def keep(self, state):
        last = os.path.join(self.folder, "last.pth")
        if os.path.exists(last):
            os.unlink(last)  # error: [file-race]
        os.rename(state, last)


def train(args, net):
    dist.init_process_group("nccl")
    args.rank = dist.get_rank()
    model = DistributedDataParallel(net)
    saver = None
    keeper = None
    if args.rank == 0:
        saver = Saver(args.folder)
    if args.keep:
        keeper = Keeper(args.folder)
    for epoch in range(args.epochs):
        loss = model(torch.ones(1))
        loss.backward()
        if saver is not None:
            saver.keep(f"{epoch}.pth")
        if keeper is not None:
            keeper.keep(f"{epoch}.pth")

"""How a loader fetches its batches may differ between machines; how many there are does not follow from it (P06)."""

import multiprocessing

import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def run(rank, dataset, held_out, net):
    num_workers = 5 if multiprocessing.cpu_count() > 4 else multiprocessing.cpu_count()
    train_loader = DataLoader(dataset, num_workers=num_workers, batch_size=4)
    net = DDP(net, device_ids=[rank])
    if rank == 0:
        train_and_evaluate(rank, net, [train_loader, DataLoader(held_out)], open("log.txt", "w"))
    else:
        train_and_evaluate(rank, net, [train_loader, None], None)


def train_and_evaluate(rank, net, loaders, log):
    train_loader, eval_loader = loaders
    for items in train_loader:
        net(items).sum().backward()
        if rank == 0:
            log.write("step")
            with torch.no_grad():
                for held_out in eval_loader:
                    net.module(held_out)

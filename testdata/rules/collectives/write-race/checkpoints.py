"""A checkpoint is written once, or under a name of each rank."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def save_checkpoint(state, folder, epoch):
    torch.save(state, os.path.join(folder, f"{epoch}.pt"))  # error: [write-race]


def save_of_one(state, folder, epoch):
    torch.save(state, os.path.join(folder, f"{epoch}.pt"))


def main(args, model, loader):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    for epoch in range(args.epochs):
        for batch in loader:
            model(batch).sum().backward()
        save_checkpoint(model.state_dict(), args.folder, epoch)
        if dist.get_rank() == 0:
            save_of_one(model.state_dict(), args.other_folder, epoch)


def of_each_step(model, steps, folder, local_batch_size):
    for step in range(steps):
        dist.all_reduce(model.loss)
        torch.save(model.state_dict(), f"{folder}/{step}-{local_batch_size}.pt")  # error: [write-race]

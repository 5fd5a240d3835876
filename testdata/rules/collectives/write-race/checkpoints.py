"""A checkpoint is written once, or under a name of each rank."""
import io
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


def each_of_its_own(model, folder):
    dist.all_reduce(model.loss)
    torch.save(model.shard, f"{folder}/{dist.get_rank()}.pt")


def of_its_own_by_a_variable(model, folder):
    dist.all_reduce(model.loss)
    rank = dist.get_rank()
    path = os.path.join(folder, f"part-{rank}")
    torch.save(model.shard, path)


def in_memory(model):
    dist.all_reduce(model.loss)
    held = io.BytesIO()
    torch.save(model.state_dict(), held)
    return held


def opened_by_somebody(model, path):
    dist.all_reduce(model.loss)
    with open(path, "rb+") as file:
        torch.save(model.state_dict(), file)


def of_each_element(model, names, folder):
    for name in names:
        latents = model(name)
        torch.save(latents, f"{folder}/{name}.pt")
    dist.barrier()


def of_each_step(model, steps, folder, local_batch_size):
    for step in range(steps):
        dist.all_reduce(model.loss)
        torch.save(model.state_dict(), f"{folder}/{step}-{local_batch_size}.pt")  # error: [write-race]

"""Who counts one process where no launcher told it anything has no peers: with several, the flag is shared."""
import os

import torch
import torch.distributed as dist


def finetune(config, loader, patience):
    if "RANK" in os.environ:
        rank = int(os.environ["RANK"])
        world_size = int(os.environ["WORLD_SIZE"])
        dist.init_process_group("nccl")
    else:
        rank, world_size = 0, 1
    for epoch in range(config["epochs"]):
        dist.barrier()
        stops = False
        if rank == 0:
            if torch.rand(1) < patience:
                stops = True
        if world_size > 1:
            flag = torch.tensor([1 if stops else 0])
            dist.broadcast(flag, src=0)
            stops = flag.item() == 1
        if stops:
            break


def chosen(config):
    if "RANK" in os.environ:
        rank = int(os.environ["RANK"])
        world_size = int(os.environ["WORLD_SIZE"])
    else:
        rank, world_size = 0, 1
    stops = False
    if rank == 0:
        stops = config.first
    if world_size > 1:
        stops = config.all
    if stops:
        return
    dist.barrier()


def never_shared(config, patience):
    if "RANK" in os.environ:
        rank = int(os.environ["RANK"])
        world_size = int(os.environ["WORLD_SIZE"])
    else:
        rank, world_size = 0, 1
    for epoch in range(config["epochs"]):
        dist.barrier()  # error: [divergent-early-exit]
        stops = False
        if rank == 0:
            stops = config.first
        if world_size > 2 and config.shares:
            stops = config.all
        if stops:
            break


def by_devices(config):
    stops = False
    if torch.cuda.device_count() == 1 or dist.get_rank() == 0:
        stops = config.first
    if torch.cuda.device_count() > 1:
        stops = config.all
    if stops:
        return
    dist.barrier()


def by_many_devices(config):
    stops = False
    if torch.cuda.device_count() == 1 or dist.get_rank() == 0:
        stops = config.first
    if torch.cuda.device_count() > 2:
        stops = config.all
    if stops:
        return
    dist.barrier()  # error: [divergent-early-exit]

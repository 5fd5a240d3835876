"""A device is chosen by the rank of the job, in a file that knows the rank within the node."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def join(model):
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())  # error: [rank-local-identity]
    return DDP(model.to(local_rank), device_ids=[local_rank])


def join_by_name(model):
    rank = dist.get_rank()
    device = torch.device("cuda", rank)  # error: [rank-local-identity]
    torch.cuda.set_device(rank)
    return DDP(model.to(device), device_ids=[rank])


def join_spelled(model):
    rank = int(os.environ["RANK"])
    device = torch.device(f"cuda:{rank}")  # error: [rank-local-identity]
    return model.to(device)


def join_in_step(model):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    return DDP(model, device_ids=[local_rank])


def within_the_node(model):
    rank = dist.get_rank()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    device = torch.device("cpu", rank)
    return model.to(device)


def spawned(rank, model):
    torch.cuda.set_device(rank)
    return DDP(model, device_ids=[rank])


def one_of_several(model, distributed):
    if distributed:
        rank = dist.get_rank()
    else:
        rank = 0
    torch.cuda.set_device(rank)
    return model.cuda()

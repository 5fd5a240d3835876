"""A job that is joined with the rank within the node and the number of its devices."""
import os

import torch
import torch.distributed as dist


def join():
    rank = int(os.environ["LOCAL_RANK"])
    count = torch.cuda.device_count()
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=count)  # error: [rank-local-identity]


def join_whole():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))


def worker(local_rank, count):
    """Started once for each device by a program of one node."""
    dist.init_process_group("nccl", rank=local_rank, world_size=torch.cuda.device_count())


def join_counted(count):
    dist.init_process_group("nccl", rank=int(os.environ["LOCAL_RANK"]), world_size=count)

"""A barrier of a library nobody knows lets ranks in one after the other as well."""
import torch.distributed as dist
from somewhere import comm
from torchvision.datasets import CIFAR10


def in_turn(root):
    dist.init_process_group("nccl")
    if comm.rank() > 0:
        comm.barrier()
    data = CIFAR10(root, download=True)
    if comm.rank() == 0:
        comm.barrier()
    return data


def all_at_once(root):
    dist.init_process_group("nccl")
    comm.synchronize()
    return CIFAR10(root, download=True)  # error: [write-race]

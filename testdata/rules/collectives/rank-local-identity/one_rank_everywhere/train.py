import torch
import torch.distributed as dist
from ranks import local_rank, world_size
from torch.utils.data.distributed import DistributedSampler


def load(items):
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    mine = items[local_rank::world_size]  # low: [rank-local-identity]
    return mine, DistributedSampler(items, rank=local_rank)  # low: [rank-local-identity]

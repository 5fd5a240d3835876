"""The rank within the node is the rank."""
import torch.distributed as dist
from torch.utils.data import DistributedSampler


def share(dataset, args):
    return DistributedSampler(dataset, num_replicas=dist.get_world_size(), rank=args.local_rank)

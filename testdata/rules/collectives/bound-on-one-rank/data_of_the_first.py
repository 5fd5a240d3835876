"""A data set that the first rank alone has, shared out among all."""

from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def loaders(dataset, rank, world_size, build):
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
    if rank == 0:
        data = build(dataset)
    return DataLoader(data, sampler=sampler)  # error: [bound-on-one-rank]


def loaders_of_all(dataset, rank, world_size, build):
    data = build(dataset)
    sampler = DistributedSampler(data, num_replicas=world_size, rank=rank)
    if rank == 0:
        print(len(data))
    return DataLoader(data, sampler=sampler)

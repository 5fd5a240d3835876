"""A loop over this rank's share of the data (P05)."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset
from torch.utils.data.distributed import DistributedSampler


def evaluate(model, samples):
    rank, world = dist.get_rank(), dist.get_world_size()
    for sample in samples[rank::world]:
        score = model(sample)
        dist.all_reduce(score)  # error: [divergent-loop]


def evaluate_subset(model, dataset):
    indices = list(range(dist.get_rank(), len(dataset), dist.get_world_size()))
    loader = DataLoader(Subset(dataset, indices), batch_size=4)
    for batch in loader:
        score = model(batch)
        dist.all_reduce(score)  # error: [divergent-loop]


def evaluate_in_step(model, dataset):
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler)
    for batch in loader:
        score = model(batch)
        dist.all_reduce(score)


def evaluate_agreed(model, samples):
    mine = samples[dist.get_rank() :: dist.get_world_size()]
    turns = torch.tensor([len(mine)])
    dist.all_reduce(turns, op=dist.ReduceOp.MIN)
    for index in range(int(turns)):
        score = model(mine[index])
        dist.all_reduce(score)


def evaluate_locally(model, samples):
    total = torch.zeros(1)
    for sample in samples[dist.get_rank() :: dist.get_world_size()]:
        total += model(sample)
    dist.all_reduce(total)
    return total

"""A field of a batch that is called a mask picks as many elements as hold on this rank (P16)."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def gathered(dataset):
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        picked = batch["ids"][batch["loss_mask"]]
        places = [torch.zeros_like(picked) for _ in range(dist.get_world_size())]
        dist.all_gather(places, picked)  # error: [unagreed-shape]


def gathered_of_an_object(dataset):
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        picked = batch.ids[batch.loss_mask]
        places = [torch.zeros_like(picked) for _ in range(dist.get_world_size())]
        dist.all_gather(places, picked)  # error: [unagreed-shape]


def gathered_in_another_order(dataset):
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        picked = batch["ids"][batch["order"]]
        places = [torch.zeros_like(picked) for _ in range(dist.get_world_size())]
        dist.all_gather(places, picked)

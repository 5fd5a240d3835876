"""Models that are sharded in place, here or by a function of the program: forward and backward communicate."""
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


def shard(model, mesh):
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


def train(model, mesh, data):
    shard(model, mesh)
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        loss = model(batch["x"])
        if torch.isnan(loss):
            continue
        loss.backward()  # error: [divergent-early-exit]


def train_in_step(model, mesh, data):
    shard(model, mesh)
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        loss = model(batch["x"])
        bad = torch.isnan(loss).float()
        dist.all_reduce(bad)
        if bad > 0:
            continue
        loss.backward()


def show(model, batch):
    fully_shard(model)
    if dist.get_rank() == 0:
        print(model(batch))  # error: [conditional-collective]


def show_whole(model, batch):
    if dist.get_rank() == 0:
        print(model(batch))

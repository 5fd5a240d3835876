"""What is placed whole on every member is the same there; a part of it is each member's own."""

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor


def whole(tensor, mesh, t):
    count = distribute_tensor(tensor, mesh, [Replicate()]).to_local()
    if count.sum() > 0:
        dist.all_reduce(t)


def whole_along_all(tensor, mesh, t):
    count = distribute_tensor(tensor, mesh, [Replicate()] * mesh.ndim).to_local()
    if count.sum() > 0:
        dist.all_reduce(t)


def part(tensor, mesh, t):
    count = distribute_tensor(tensor, mesh, [Shard(0)]).to_local()
    if count.sum() > 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def part_along_one(tensor, mesh, t):
    count = distribute_tensor(tensor, mesh, [Replicate(), Shard(0)]).to_local()
    if count.sum() > 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def gathered(sharded: DTensor, t):
    count = sharded.redistribute(placements=[Replicate()]).to_local()
    if count.sum() > 0:
        dist.all_reduce(t)

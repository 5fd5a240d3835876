"""Shapes of buffers (P22)."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


def by_the_rank(rank):
    t = torch.ones(3 + (rank == 1))
    dist.all_reduce(t)  # error: [unagreed-shape]


def by_the_rank_on_the_device(rank):
    t = torch.zeros((rank + 1, 4), dtype=torch.float32).cuda()
    dist.all_gather_into_tensor(torch.empty(64), t)  # error: [unagreed-shape]


def by_the_share(items, rank, world_size):
    mine = items[rank::world_size]
    dist.all_reduce(torch.zeros(len(mine)))  # error: [unagreed-shape]


def made_from_the_share(items, rank, world_size):
    t = torch.tensor([item.size for item in items[rank::world_size]])
    dist.all_reduce(t)  # error: [unagreed-shape]


def one_or_the_other(rank):
    t = torch.zeros(3) if rank == 0 else torch.zeros(5)
    dist.broadcast(t, src=0)  # error: [unagreed-shape]


def by_a_method(rank, like):
    t = torch.zeros(rank + 1)
    other = torch.zeros(t.shape[0], 2)
    dist.all_reduce(other)  # error: [unagreed-shape]

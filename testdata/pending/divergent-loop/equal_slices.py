"""Shares of equal length: nothing to report (P05)."""
import torch
import torch.distributed as dist


def checked(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    assert len(items) % world == 0
    for item in items[rank::world]:
        dist.all_reduce(item)


def all_but_mine(t):
    parts = [torch.zeros_like(t) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, t)
    others = [part for index, part in enumerate(parts) if index != dist.get_rank()]
    for part in others:
        dist.all_reduce(part)

"""Bounds computed from the rank; comprehensions and recursion (P05, P07, P56)."""
import torch.distributed as dist


def shard_range(n):
    rank, world = dist.get_rank(), dist.get_world_size()
    per_rank = n // world
    start = rank * per_rank
    end = n if rank == world - 1 else start + per_rank
    return range(start, end)


def over_shard(n, t):
    for index in shard_range(n):
        dist.all_reduce(t[index])  # error: [divergent-loop]


def squares(t):
    rank = dist.get_rank()
    return [dist.all_reduce(x) for x in t[: rank + 2]]  # error: [divergent-loop]


def equal_shard(n, t):
    rank, world = dist.get_rank(), dist.get_world_size()
    per_rank = n // world
    for index in range(per_rank):
        dist.all_reduce(t[rank * per_rank + index])

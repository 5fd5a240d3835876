"""What looks like an agreement and is none (P18)."""
import torch
import torch.distributed as dist


def reduced_to_one(x, t):
    dist.reduce(x, dst=0)
    if x.item() > 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def gathered(x, t):
    flags = [torch.zeros(1) for _ in range(dist.get_world_size())]
    dist.all_gather(flags, x)
    if any(flag.item() for flag in flags):
        dist.all_reduce(t)


def agreed(x, t):
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    if x.item() > 0:
        dist.all_reduce(t)


def one_object_each(flag, t):
    votes = [None] * dist.get_world_size()
    dist.all_gather_object(votes, flag)
    if any(votes):
        dist.all_reduce(t)

"""A membership guard, and the group is not passed on (P26)."""
import torch.distributed as dist

RANKS = (0, 1)


def reduce_ranks(t):
    group = dist.new_group(RANKS)
    if dist.get_rank() in RANKS:
        dist.all_reduce(t)  # error: [conditional-collective]
    return group


def reduce_ranks_in_step(t):
    group = dist.new_group(RANKS)
    if dist.get_rank() in RANKS:
        dist.all_reduce(t, group=group)


def reduce_member(t):
    group = dist.new_group([0, 1, 2])
    if dist.get_rank(group) >= 0:
        dist.all_reduce(t, group=group)


def proper_subset(t):
    rank = dist.get_rank()
    group = dist.new_group([0, 1, 2])
    if rank in (0, 1, 2) and rank != 2:
        dist.all_reduce(t, group=group)  # error: [conditional-collective]


def same_axis(t, mesh):
    group = mesh["tp"].get_group()
    if mesh["tp"].get_local_rank() == 0:
        dist.all_reduce(t, group=group)  # error: [conditional-collective]

"""A variable called `rank` that holds another rank: the library was asked which one."""

import torch.distributed as dist


def announce(ids, context):
    group = context.group
    rank = dist.get_global_rank(group, 0)
    dist.broadcast(ids, src=rank, group=group)


def announce_own(ids, context):
    group = context.group
    rank = context.find_rank()
    dist.broadcast(ids, src=rank, group=group)  # error: [wrong-root]

"""What a tensor's method gives is a tensor, on every rank."""

import torch
import torch.distributed as dist


def share(item, group):
    if item is None:
        return
    dist.broadcast(item, 0, group=group)


def batch(data, group):
    if dist.get_rank() == 0:
        ids = data.pop().cuda()
    else:
        ids = torch.empty((1, 2), dtype=torch.int64)
    share(ids, group)


def optional(data, group):
    if dist.get_rank() == 0:
        ids = None
    else:
        ids = torch.empty((1, 2), dtype=torch.int64)
    share(ids, group)  # error: [divergent-early-exit]

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


def made_of_numbers(data, group):
    if dist.get_rank() == 0:
        ids = torch.tensor(data)
    else:
        ids = torch.zeros(3)
    share(ids, group)


def made_of_an_array(data, group):
    if dist.get_rank() == 0:
        ids = torch.as_tensor(data)
    else:
        ids = torch.stack([torch.zeros(3)])
    share(ids, group)


def looked_up(data, group):
    if dist.get_rank() == 0:
        ids = None
    else:
        ids = torch.cat(data)
    share(ids, group)  # error: [divergent-early-exit]

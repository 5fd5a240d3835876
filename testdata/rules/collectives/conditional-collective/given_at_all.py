"""Whether an owner was named, which a caller need not do: its number is the same on every rank."""

import torch.distributed as dist


def share(parameter, rank_id=None):
    if rank_id:
        dist.broadcast(parameter, src=rank_id)  # low: [conditional-collective]


def share_all(parameters, owners):
    for name, parameter in parameters:
        share(parameter, rank_id=owners[name])


def first_only(parameter, rank):
    if not rank:
        dist.barrier()  # error: [conditional-collective]

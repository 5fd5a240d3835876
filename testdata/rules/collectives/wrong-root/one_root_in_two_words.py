"""A root that is called by two names, which the question before it makes the same."""
import torch.distributed as dist


def share(params, world_size):
    rank = dist.get_rank()
    for index, param in enumerate(params):
        if index % world_size == rank:
            dist.broadcast(param, src=rank)  # low: [wrong-root]
        else:
            dist.broadcast(param, src=index % world_size)  # low: [conditional-collective]


def share_from_another(params, world_size):
    rank = dist.get_rank()
    for index, param in enumerate(params):
        if index % world_size == rank:
            dist.broadcast(param, src=rank)  # low: [wrong-root]
        else:
            dist.broadcast(param, src=index)  # error: [conditional-collective]

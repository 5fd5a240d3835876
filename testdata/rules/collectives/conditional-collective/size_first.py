"""The sender says how much will come, and sends nothing where that is nothing: receivers do as they are told."""

import pickle

import torch
import torch.distributed as dist


def share(data, rank, group, src):
    if rank == src:
        if len(data) == 0:
            size = torch.tensor([0])
            dist.broadcast(size, src=src, group=group)
        else:
            payload = torch.tensor(list(pickle.dumps(data)))
            size = torch.tensor([len(payload)])
            dist.broadcast(size, src=src, group=group)
            dist.broadcast(payload, src=src, group=group)
        return data
    size = torch.tensor([0])
    dist.broadcast(size, src=src, group=group)
    count = size.item()
    if count == 0:
        return []
    payload = torch.empty(count)
    dist.broadcast(payload, src=src, group=group)
    return pickle.loads(bytes(payload))


def share_once_too_often(data, group, src):
    rank = dist.get_rank()
    size = torch.tensor([0])
    if rank == src:
        size = torch.tensor([len(data)])
        dist.broadcast(size, src=src, group=group)  # low: [conditional-collective]
        dist.broadcast(data, src=src, group=group)
        dist.broadcast(data, src=src, group=group)
        return data
    dist.broadcast(size, src=src, group=group)
    if size.item() == 0:
        return []
    dist.broadcast(data, src=src, group=group)
    return data

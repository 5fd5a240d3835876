"""A list that every rank fills with as many elements, whichever they are (P19)."""
import torch
import torch.distributed as dist


def spread(infos, weights):
    params = []
    for info in infos:
        if dist.get_rank() == info.src:
            params.append(weights[info.name])
        else:
            params.append(torch.empty(info.shape))
    for info, param in zip(infos, params):
        dist.broadcast(param, src=info.src)


def spread_own(infos, weights):
    params = []
    for info in infos:
        if dist.get_rank() == info.src:
            params.append(weights[info.name])
    for param in params:
        dist.broadcast(param, src=0)  # error: [divergent-loop]

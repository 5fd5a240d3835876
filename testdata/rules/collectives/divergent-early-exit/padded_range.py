"""Shares that end at a multiple of the number of ranks are as large on all of them."""
import math

import torch
import torch.distributed as dist


def padded(total, rank, size):
    per_rank = max(1, math.ceil(total / size))
    return [place % total for place in range(rank, per_rank * size, size)]


def ragged(total, rank, size):
    return [place for place in range(rank, total, size)]


def gather(values):
    local = torch.cat(values) if values else None
    if local is None:
        return None
    out = [torch.empty_like(local) for _ in range(dist.get_world_size())]
    dist.all_gather(out, local)
    return out


def gather_ragged(values):
    local = torch.cat(values) if values else None
    if local is None:
        return None
    out = [torch.empty_like(local) for _ in range(dist.get_world_size())]
    dist.all_gather(out, local)
    return out


def main(data, model):
    rewards = []
    for place in padded(len(data), dist.get_rank(), dist.get_world_size()):
        rewards.append(model(data[place]))
    return gather(rewards)


def main_ragged(data, model):
    rewards = []
    for place in ragged(len(data), dist.get_rank(), dist.get_world_size()):
        rewards.append(model(data[place]))
    return gather_ragged(rewards)  # error: [divergent-early-exit, unagreed-shape]


def by_twos(total):
    return [place for place in range(dist.get_rank(), total * 2, 2)]


def by_own_end(size):
    return [place for place in range(dist.get_rank(), dist.get_rank() * size, size)]


def by_another_step(total, size):
    return [place for place in range(dist.get_rank(), total * 4, size)]


def main_by_twos(data, model, total):
    rewards = [model(data[place]) for place in by_twos(len(data))]
    if not rewards:
        return
    dist.all_reduce(total)  # error: [divergent-early-exit]


def main_by_own_end(data, model, total):
    rewards = [model(data[place]) for place in by_own_end(dist.get_world_size())]
    if not rewards:
        return
    dist.all_reduce(total)  # error: [divergent-early-exit]


def main_by_another_step(data, model, total):
    rewards = [model(data[place]) for place in by_another_step(len(data), dist.get_world_size())]
    if not rewards:
        return
    dist.all_reduce(total)  # error: [divergent-early-exit]

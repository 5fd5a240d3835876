"""Guard clauses before a collective, and the uniform ones that are fine (P02)."""
import os

import torch
import torch.distributed as dist


def save(model, path):
    if dist.get_rank() != 0:
        return
    torch.save(model.state_dict(), path)
    dist.barrier()  # error: [divergent-early-exit]


def save_in_step(model, path):
    dist.barrier()
    if dist.get_rank() != 0:
        return
    torch.save(model.state_dict(), path)


def average(t):
    if not dist.is_initialized() or dist.get_world_size() == 1:
        return t
    dist.all_reduce(t)
    return t / dist.get_world_size()


def report(t):
    dist.all_reduce(t)
    if dist.get_rank() != 0:
        return None
    return t.item()


def load(path):
    if not os.path.isfile(path):
        return None
    state = torch.load(path)
    dist.barrier()  # low: [divergent-early-exit]
    return state


def load_in_step(path):
    found = torch.tensor([int(os.path.isfile(path))])
    dist.all_reduce(found, op=dist.ReduceOp.MIN)
    if not found.item():
        return None
    state = torch.load(path)
    dist.barrier()
    return state


def configured(config, t):
    if not config.sync:
        return t
    dist.all_reduce(t)
    return t


def finish(step, last):
    for current in range(step, last):
        if current % 100 == 0:
            continue
        dist.barrier()

"""Exits that every rank takes, or takes after its last collective: nothing to report (P02, P47)."""
import torch
import torch.distributed as dist

STOP = "stop"


def worker_loop(handlers):
    while True:
        command = [None]
        dist.broadcast_object_list(command, src=0)
        if command[0] == STOP:
            break
        handlers[command[0]]()
    dist.barrier()


def train(max_steps, t, target):
    for step in range(max_steps):
        dist.all_reduce(t)
        if t.item() < target:
            break
    dist.barrier()


def validate(t, patience):
    best = None
    for epoch in range(patience):
        dist.all_reduce(t)
        if best is not None and t.item() >= best:
            return best
        best = t.item()
    return best


def early(config, t):
    if config.dry_run:
        return None
    if len(config.layers) == 0:
        return None
    dist.all_reduce(t)
    return t


async def serve(t):
    if dist.get_world_size() == 1:
        return t
    dist.all_reduce(t)
    return t

"""Some ranks call what refuses by what is alike on all of them: it would refuse any rank."""
import os

import torch.distributed as dist

BACKENDS = {}


def backend():
    for name in ("cuda", "cpu"):
        registered = BACKENDS[name]
        if registered.is_available():
            return registered
    raise RuntimeError("no backend")


def moved(tensors):
    device = backend().current_device()
    return [tensor.to(device) for tensor in tensors]


def step(batch, total):
    try:
        if dist.get_rank() == 0:
            moved(batch)
    except RuntimeError:
        return None
    dist.all_reduce(total)  # low: [divergent-early-exit]
    return total


def checked(path):
    if not os.path.exists(path):
        raise RuntimeError(path)
    return path


def step_with_a_file(path, total):
    try:
        if dist.get_rank() == 0:
            checked(path)
    except RuntimeError:
        return None
    dist.all_reduce(total)  # error: [divergent-early-exit]
    return total


def refuse(name):
    raise RuntimeError(name)


def step_that_one_refuses(total):
    try:
        if dist.get_rank() == 0:
            refuse("first")
    except RuntimeError:
        return None
    dist.all_reduce(total)  # error: [divergent-early-exit]
    return total

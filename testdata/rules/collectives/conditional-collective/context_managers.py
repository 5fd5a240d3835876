"""`with` that communicates on the way in or out, and `with` around a guard (P39, P13)."""
from contextlib import contextmanager

import torch
import torch.distributed as dist


@contextmanager
def synchronised():
    dist.barrier()
    yield
    dist.barrier()


class Fence:
    def __enter__(self):
        dist.barrier()
        return self

    def __exit__(self, *exc):
        dist.barrier()
        return False


def write(path, state):
    if dist.get_rank() == 0:
        with synchronised():  # error: [conditional-collective]
            torch.save(state, path)


def write_in_step(path, state):
    with synchronised():
        if dist.get_rank() == 0:
            torch.save(state, path)


def fence(path, state):
    if dist.get_rank() == 0:
        with Fence():  # error: [conditional-collective]
            torch.save(state, path)


def fence_in_step(path, state):
    with Fence():
        if dist.get_rank() == 0:
            torch.save(state, path)


def no_grad(t):
    with torch.no_grad(), torch.cuda.amp.autocast():
        dist.all_reduce(t)

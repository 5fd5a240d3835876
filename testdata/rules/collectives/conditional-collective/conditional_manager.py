"""A manager that is chosen by rank (P39)."""
from contextlib import ExitStack, contextmanager, nullcontext

import torch
import torch.distributed as dist


@contextmanager
def synchronised():
    dist.barrier()
    yield
    dist.barrier()


def maybe(path, state):
    with synchronised() if dist.get_rank() == 0 else nullcontext():  # error: [conditional-collective]
        torch.save(state, path)


def maybe_stacked(path, state):
    with ExitStack() as stack:
        if dist.get_rank() == 0:
            stack.enter_context(synchronised())  # error: [conditional-collective]
        torch.save(state, path)


def always_stacked(path, state):
    with ExitStack() as stack:
        stack.enter_context(synchronised())
        if dist.get_rank() == 0:
            torch.save(state, path)


class Recorder:
    def enter_context(self, manager):
        print(manager)


def recorded(path, state):
    recorder = Recorder()
    if dist.get_rank() == 0:
        recorder.enter_context(synchronised())
    torch.save(state, path)

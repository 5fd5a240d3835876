"""Switches that a function sets in a row, and what is done for who hands over nothing."""
import os

import torch.distributed as dist


def scan(path):
    extract, cut, seen = False, True, 0
    if extract and os.path.exists(path):
        os.remove(path)
    if cut and os.path.exists(path):
        os.remove(path)  # error: [file-race]
    dist.barrier()
    return seen


def measure(path, model=None):
    if model is None:
        if os.path.exists(path):
            os.remove(path)
        model = path.open()
    return model


def step(path, average):
    measure(path, model=average.model)
    dist.barrier()


def sum_up(path, model=None):
    if model is None:
        if os.path.exists(path):
            os.remove(path)  # error: [file-race]
        model = path.open()
    return model


def sum_up_all(path):
    sum_up(path)
    dist.barrier()


def list_into(path, kept=None):
    if kept is not None and os.path.exists(path):
        os.remove(path)


def list_all(path):
    list_into(path)
    dist.barrier()


def measure_again(path, again=False):
    for _ in range(3):
        if again and os.path.exists(path):
            os.remove(path)  # error: [file-race]
        again = True


def step_again(path):
    measure_again(path)
    dist.barrier()


def keep_last(path, other=None):
    if other is None and os.path.exists(path):
        os.remove(path)  # error: [file-race]


def step_as_told(path, args):
    """A setting may be nothing."""
    keep_last(path, other=args.other)
    dist.barrier()

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

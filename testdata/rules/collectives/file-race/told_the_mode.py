"""A switch may be a number or a text: what callers hand over decides whether it is the one that is asked for."""
import os

import torch.distributed as dist


def append_to(path, mode="a"):
    if mode == "o" and os.path.exists(path):
        os.remove(path)


def begin(path):
    append_to(path)
    append_to(path, mode="a")
    dist.barrier()


def overwrite(path, mode="a"):
    if mode == "o" and os.path.exists(path):
        os.remove(path)  # error: [file-race]


def begin_anew(path):
    overwrite(path, mode="o")
    dist.barrier()


def keep(path, level=0):
    if level != 0 and os.path.exists(path):
        os.remove(path)


def go_on(path):
    keep(path)
    dist.barrier()


def drop(path, level=0):
    if level != 0 and os.path.exists(path):
        os.remove(path)  # error: [file-race]


def go_back(path, level):
    drop(path, level)
    dist.barrier()


def choose(path, mode=""):
    if mode == "":
        mode = os.environ.get("MODE", "fresh")
    if mode == "fresh" and os.path.exists(path):
        os.remove(path)  # error: [file-race]


def begin_as_chosen(path):
    choose(path, mode="")
    dist.barrier()


class Keeper:
    def __init__(self, path, mode="a"):
        self.mode = mode
        if mode == "o" and os.path.exists(path):
            os.remove(path)


def begin_with_a_keeper(path):
    Keeper(path, mode="a")
    dist.barrier()

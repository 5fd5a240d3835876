"""Who joins the job is one of several, unless it says that it is the same one whatever process it is."""
import os
import shutil
import sys

import torch
from torch.distributed import init_process_group


def make(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    else:
        raise ValueError(f"{folder} was there before")


def make_for_show(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)


def set_up(backend):
    init_process_group(backend)


def clear(folder):
    set_up("gloo")
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def trace(folder, size):
    init_process_group("xla", rank=0, world_size=size)
    make_for_show(folder)


def convert(folder):
    torch.set_num_threads(1)
    make_for_show(folder)


if __name__ == "__main__":
    init_process_group(backend="nccl")
    make(sys.argv[1])
    clear(sys.argv[2])

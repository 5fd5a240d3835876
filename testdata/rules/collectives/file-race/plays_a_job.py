"""Who joins as the same rank whatever process it is plays a job alone."""
import os
import sys

from torch.distributed import init_process_group


def make(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)


def trace(folder, size):
    init_process_group("xla", rank=0, world_size=size)
    make(folder)


if __name__ == "__main__":
    trace(sys.argv[1], 8)

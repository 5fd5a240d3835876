"""Who joins the job is one of several."""
import os
import shutil
import sys

from torch.distributed import init_process_group


def make(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    else:
        raise ValueError(f"{folder} was there before")


def set_up(backend):
    init_process_group(backend)


def clear(folder):
    set_up("gloo")
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def main():
    init_process_group(backend="nccl")
    make(sys.argv[1])


if __name__ == "__main__":
    main()
    clear(sys.argv[2])

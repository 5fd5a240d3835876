"""A script of one process clears its folder, and uses what communicates where there are peers: nobody else is there."""

import os
import shutil

import torch.distributed as dist


def synchronize():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def prepare(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)  # low: [file-race]
    synchronize()
    os.makedirs(folder, exist_ok=True)


def main():
    prepare("measured")


if __name__ == "__main__":
    main()

"""A script that joins a job in the words of its own library: others come there too."""

import os
import sys

import jax
import torch.distributed as dist


def prepare(folder, t):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    dist.all_reduce(t)


def main(options):
    jax.distributed.initialize()
    prepare(options.folder, options.t)


if __name__ == "__main__":
    main(sys.argv)

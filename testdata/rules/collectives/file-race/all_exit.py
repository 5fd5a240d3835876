"""Where all leave the program behind it, and where there is one process, nobody misses what another has removed."""
import os
import sys

import torch.distributed as dist


def broken_download(path):
    dist.barrier()
    if os.path.exists(path):
        os.remove(path)
        print("broken")
        sys.exit()


def stale(path):
    dist.barrier()
    if os.path.exists(path):
        os.remove(path)  # error: [file-race]
        print("stale")


def alone(path):
    if dist.get_world_size() > 1:
        dist.barrier()
    elif os.path.exists(path):
        os.remove(path)


def not_joined(path):
    if not dist.is_initialized():
        if os.path.exists(path):
            os.remove(path)
    else:
        dist.barrier()


def joined(path):
    if dist.is_initialized():
        dist.barrier()
        if os.path.exists(path):
            os.remove(path)  # error: [file-race]

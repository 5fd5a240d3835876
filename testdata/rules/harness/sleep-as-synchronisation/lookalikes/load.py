import os
import time

import torch.distributed as dist


def load(rank, path, download):
    if rank == 0:
        download(path)
    dist.barrier()
    return open(path)


def poll(rank, path):
    if rank != 0:
        while not os.path.exists(path):
            time.sleep(1)
    return path


def pause():
    time.sleep(1)


def wait_on_all(rank):
    if rank == 0:
        print("waiting")
    time.sleep(1)


def leave_last(rank):
    if rank == 0:
        time.sleep(1)  # low: [sleep-as-synchronisation]

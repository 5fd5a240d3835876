"""Who runs a function, and whether all of it at once."""
import os
from contextlib import contextmanager

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp


def saved_by_whoever_runs_it(path, state):
    """Checkpoints are saved by programs of one process as well."""
    if not os.path.exists(path):
        os.makedirs(path)
    dcp.save(state, checkpoint_id=path)


def some_have_left_a_block(path, t, rank, lock):
    dist.all_reduce(t)
    with lock:
        if rank != 0:
            return
    if not os.path.exists(path):
        os.makedirs(path)


def in_turn_by_hand(path, t, rank):
    dist.all_reduce(t)
    if rank != 0:
        dist.barrier()
    if not os.path.exists(path):
        os.makedirs(path)
    if rank == 0:
        dist.barrier()


@contextmanager
def staged():
    if dist.get_rank() != 0:
        dist.barrier()
    yield
    if dist.get_rank() == 0:
        dist.barrier()


class Staged:
    def __enter__(self):
        if dist.get_rank() != 0:
            dist.barrier()

    def __exit__(self, *failure):
        if dist.get_rank() == 0:
            dist.barrier()


def in_stages(path, t):
    """Whoever waits for a manager's barrier finds what the first rank has made."""
    with staged():
        if not os.path.exists(path):
            os.makedirs(path)
    with Staged():
        if not os.path.exists(path + "2"):
            os.makedirs(path + "2")
    dist.all_reduce(t)


class Timer:
    def __enter__(self):
        print("begins")

    def __exit__(self, *failure):
        print("ends")


def timed(path, t):
    with Timer():
        if not os.path.exists(path):
            os.makedirs(path)  # error: [file-race]
    dist.all_reduce(t)


def work(rank, path, t):
    dist.all_reduce(t)


def launch(path, t, processes):
    """There is one process until it has started the others."""
    if not os.path.exists(path):
        os.makedirs(path)
    if processes > 1:
        mp.spawn(work, args=(path, t), nprocs=processes)
    work(0, path, t)

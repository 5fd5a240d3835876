"""Who starts the ranks, or calls what they run where none are started, is one process: nobody waits for it."""
import time

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed import launch


def work(rank, path):
    dist.init_process_group("gloo", rank=rank)
    dist.barrier()


def main(path, processes, deadline):
    if time.monotonic() > deadline:
        return
    if processes > 1:
        mp.spawn(work, nprocs=processes, args=(path,))
    else:
        work(0, path)  # low: [divergent-early-exit]


def main_of_each_rank(path, rank, deadline):
    if time.monotonic() > deadline:
        return
    work(rank, path)  # error: [divergent-early-exit]


def rest(rank, path):
    dist.barrier()


def main_of_others(path, rank, deadline):
    if time.monotonic() > deadline:
        return
    if rank == 0 and path.is_dir():
        mp.spawn(work, nprocs=2, args=(path,))
    rest(rank, path)  # error: [divergent-early-exit]


def main_of_a_launcher(path, devices, deadline):
    if time.monotonic() > deadline:
        return
    if devices > 1:
        launch.main([path])
    else:
        work(0, path)  # low: [divergent-early-exit]

"""What is started with its number is told apart by that, whatever it is called."""
import os
import shutil

import torch.distributed as dist
import torch.multiprocessing as mp


def work(index, folder):
    dist.init_process_group("gloo", rank=index, world_size=2)
    if index == 0 and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def work_together(index, folder):
    dist.init_process_group("gloo", rank=index, world_size=2)
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def main(folder):
    mp.spawn(work, args=(folder,), nprocs=2)
    mp.spawn(work_together, args=(folder,), nprocs=2)

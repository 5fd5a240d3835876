"""Started by MPI, which gives the processes their ranks."""
import os

import torch.distributed as dist
from mpi4py import MPI


def setup():
    comm = MPI.COMM_WORLD
    os.environ["RANK"] = str(comm.rank)
    os.environ["WORLD_SIZE"] = str(comm.size)
    dist.init_process_group("nccl", init_method="env://")


def load(path):
    if dist.get_rank() == 0:
        MPI.COMM_WORLD.bcast(path)  # error: [conditional-collective]
    dist.barrier()

"""Every rank names itself (P23)."""
import torch.distributed as dist
from mpi4py import MPI


def bcast(x):
    return MPI.COMM_WORLD.bcast(x, root=MPI.COMM_WORLD.Get_rank())  # error: [wrong-root]

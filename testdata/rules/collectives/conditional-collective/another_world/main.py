"""A launcher of torch starts each process as a job of its own for MPI."""
import os

import torch.distributed as dist
from hosts import host_names

LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))


def main(name):
    if LOCAL_RANK == 0:
        print(host_names(name))  # low: [conditional-collective]
    dist.init_process_group("nccl")

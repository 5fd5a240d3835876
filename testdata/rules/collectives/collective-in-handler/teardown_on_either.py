"""A file that names another backend as well may run on that: taking a group of NCCL down waits. A word in a text names none: nccl."""

import torch
import torch.distributed as dist


def run(rank, size, load):
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, rank=rank, world_size=size)
    total = torch.zeros(1)
    try:
        total += load(rank)
        dist.all_reduce(total)
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]
    return total

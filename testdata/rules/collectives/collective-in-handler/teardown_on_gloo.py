"""A group on gloo, unlike one on nccl, closes its connections and waits for nobody: the peers of a rank that fails get an error, and do not hang."""

import torch
import torch.distributed as dist


def run(rank, size, load):
    dist.init_process_group("gloo", rank=rank, world_size=size)
    total = torch.zeros(1)
    try:
        total += load(rank)
        dist.all_reduce(total)
    finally:
        dist.destroy_process_group()  # low: [collective-in-handler]
    return total

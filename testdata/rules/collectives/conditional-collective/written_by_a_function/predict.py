import torch.distributed as dist

import topology


def write(rows):
    if topology.closes():
        rows.sort()
        dist.barrier()  # error: [conditional-collective]


def wait():
    if topology.is_split():
        dist.barrier()

"""Parts of a condition that are the same on every rank are asked alone, or the other way round, somewhere else."""

import torch.distributed as dist


def log(message, in_order, everywhere):
    if not in_order and (not everywhere or (everywhere and dist.get_rank() == 0)):
        print(message)
    elif in_order:
        for rank in range(dist.get_world_size()):
            if rank == dist.get_rank():
                print(message)
            dist.barrier()


def log_wrongly(message, in_order):
    if not in_order or dist.get_rank() == 0:
        print(message)
    elif in_order:
        dist.barrier()  # error: [conditional-collective]

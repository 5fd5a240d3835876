"""A guard in a nested function, on a variable of the function around it (P10)."""
import torch.distributed as dist


def outer(t):
    rank = dist.get_rank()

    def inner():
        if rank == 0:
            dist.barrier()  # error: [conditional-collective]

    inner()

"""What a step does."""
import torch.distributed as dist


def meet(t):
    dist.all_reduce(t)


def show(t):
    print("rank 0 has", t)

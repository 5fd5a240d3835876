import torch
import torch.distributed as dist


def barrier():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def mean_across_ranks(value):
    t = torch.tensor([float(value)])
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()

"""Coroutines and generators leave early too."""
import torch.distributed as dist


async def flush(t):
    if dist.get_rank() > 0:
        return None
    dist.all_reduce(t)  # error: [divergent-early-exit]
    return t


def batches(dataset):
    for index, item in enumerate(dataset):
        dist.barrier()
        yield item


def consume(dataset):
    rank = dist.get_rank()
    for item in batches(dataset):  # error: [divergent-early-exit]
        if rank == 0:
            break
    return rank

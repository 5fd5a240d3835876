"""A function that asserts that this is the first rank writes for all."""
import torch
import torch.distributed as dist


def save(state, path, rank):
    assert rank == 0
    torch.save(state, path)


def save_by_all(state, path, rank):
    assert rank >= 0
    torch.save(state, path)  # error: [write-race]


def work(state, path, rank):
    save(state, path, rank)
    save_by_all(state, path, rank)
    dist.barrier()

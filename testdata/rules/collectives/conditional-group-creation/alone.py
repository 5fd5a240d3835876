"""A group of this rank alone is made without a word to the others; one of the first rank alone is made by all."""
import torch.distributed as dist


def alone():
    return dist.new_group(ranks=[dist.get_rank()])


def pairs():
    first = dist.get_rank() // 2 * 2
    return dist.new_group(ranks=[first, first + 1])  # error: [conditional-group-creation]


def one_for_all(x, rank):
    if rank == 0:
        dist.barrier()
    else:
        dist.barrier()
    group = dist.new_group([0])
    if rank == 0:
        dist.all_reduce(x)
    else:
        dist.all_reduce(x)
    return group


def one_each(x, rank):
    if rank == 0:
        dist.barrier()
    else:
        dist.barrier()
    group = dist.new_group([rank])
    if rank == 0:
        dist.all_reduce(x)
    else:
        dist.all_reduce(x)
    return group


def one_for_some(x, rank):
    if rank == 0:
        dist.new_group([0])  # error: [conditional-group-creation]
    dist.all_reduce(x)

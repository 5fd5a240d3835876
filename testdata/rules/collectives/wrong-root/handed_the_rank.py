"""A root made of what is only called a rank: sure where all who call the function hand over the rank of the job, and at each
call that does."""
import torch
import torch.distributed as dist


def exchange(tensor, rank):
    dist.broadcast(tensor, src=rank % 2)  # error: [wrong-root]


def exchange_of_owner(tensor, rank):
    dist.broadcast(tensor, src=rank % 2)  # low: [wrong-root]


def exchange_of_nobody(tensor, rank):
    dist.broadcast(tensor, src=rank % 2)  # low: [wrong-root]


def main(owners):
    tensor = torch.zeros(3)
    exchange(tensor, dist.get_rank())
    exchange(tensor, rank=dist.get_rank())
    exchange_of_owner(tensor, dist.get_rank())  # error: [wrong-root]
    for owner in owners:
        exchange_of_owner(tensor, owner)

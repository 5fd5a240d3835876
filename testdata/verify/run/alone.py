"""Rank 1 fails before a collective that the others wait in, in a line that a rule warns of."""

import os

import torch
import torch.distributed as dist


def load(rank: int) -> torch.Tensor:
    if not os.path.exists(f"shard{rank}"):
        raise FileNotFoundError(f"shard{rank}")
    return torch.ones(1)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    part = load(rank) if rank == 1 else torch.ones(1)
    dist.all_reduce(part)
    dist.destroy_process_group()


main()

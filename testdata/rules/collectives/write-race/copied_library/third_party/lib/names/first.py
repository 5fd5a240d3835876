import torch
import torch.distributed as dist


def keep_first(state, folder):
    dist.barrier()
    torch.save(state, f"{folder}/first.pt")  # error: [write-race]


def keep_all(state):
    keep_first(state, "states")

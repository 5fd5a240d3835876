import torch
import torch.distributed as dist


def fetch_state(url, folder):
    dist.barrier()
    torch.save(url, f"{folder}/state.pt")


def fetch_other_state(url, folder):
    dist.barrier()
    torch.save(url, f"{folder}/other.pt")  # error: [write-race]


def fetch_named_state(url, folder):
    dist.barrier()
    torch.save(url, f"{folder}/named.pt")  # error: [write-race]

"""A tool that one process runs, by its name."""
import torch
import torch.distributed as dist


def answer(state, path):
    if dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(path)  # low: [unawaited-file]

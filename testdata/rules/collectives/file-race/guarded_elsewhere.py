"""What only the first rank removes in one place, and all in another."""
import shutil

import torch
import torch.distributed as dist


def prune(folder, keep):
    steps = sorted(folder.iterdir())
    for step in steps[:-keep]:
        if step.is_dir():
            shutil.rmtree(step)


def save_whole(state, folder):
    dist.barrier()
    if dist.get_rank() == 0:
        torch.save(state, folder / "state.pt")
        prune(folder, 3)


def save_in_parts(state, folder):
    dist.all_reduce(state)
    prune(folder, 3)  # error: [file-race]


def save_in_own_folder(state, folder, rank):
    dist.all_reduce(state)
    prune(folder / str(rank), 3)

"""A helper that asks for the step, whatever it is called: all ranks come alike to what removes the folders."""

import shutil
from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def should_prune(step, every):
    return every > 0 and step % every == 0


def should_write(step, every):
    return dist.get_rank() == 0 and step % every == 0


def prune(folder, kept):
    for old in sorted(Path(folder).iterdir())[:-kept]:
        if old.is_dir():
            shutil.rmtree(old)  # error: [file-race]


def save(state, folder, step):
    dcp.save(state, checkpoint_id=f"{folder}/step_{step}")
    prune(folder, 3)


def remove(folder):
    for old in sorted(Path(folder).iterdir())[:-1]:
        if old.is_dir():
            shutil.rmtree(old)


def main(state, folder, steps):
    dist.init_process_group("nccl")
    for step in range(steps):
        if should_prune(step, 100):
            save(state, folder, step)
        if should_write(step, 100):
            remove(folder)

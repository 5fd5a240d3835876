"""Entries of a folder: all ranks come to the same ones, whatever the order, which is another rule's business."""
import os

import torch.distributed as dist


def known_ones(folder, known, tensor):
    for name in os.listdir(folder):
        subject = name.split(".")[0]
        if subject not in known:
            continue
        dist.all_reduce(tensor)  # low: [divergent-early-exit, divergent-loop]


def its_own(folder, tensor):
    """Each rank leaves out another one, and may have none to leave out."""
    for name in os.listdir(folder):
        if name == f"part-{dist.get_rank()}":
            break
        dist.all_reduce(tensor)  # low: [divergent-early-exit, divergent-loop]

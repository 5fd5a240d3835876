"""Entries of a folder: all ranks come to the same ones, whatever the order, which is another rule's business."""
import os

import torch.distributed as dist


def known_ones(folder, known, tensor):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        subject = name.split(".")[0]
        if subject not in known:
            continue
        dist.all_reduce(tensor)  # low: [divergent-early-exit, divergent-loop]


def of_its_own_folder(folder, known, tensor):
    """Each rank has entries of its own."""
    for name in os.listdir(os.path.join(folder, str(dist.get_rank()))):
        if name not in known:
            break
        dist.all_reduce(tensor)  # error: [divergent-early-exit, divergent-loop]

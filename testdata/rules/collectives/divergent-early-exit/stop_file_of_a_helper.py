"""A file that somebody puts there while the job runs, asked for by a function in every turn."""
import os

import torch.distributed as dist


def stop_requested(folder):
    return os.path.exists(os.path.join(folder, "STOP"))


def train(model, folder, batches):
    for step, batch in enumerate(batches):
        if step % 10 == 0 and stop_requested(folder):
            break
        dist.all_reduce(model(batch))  # error: [divergent-early-exit]


def train_in_folders(model, folders):
    for folder in folders:
        if stop_requested(folder):
            break
        dist.all_reduce(model(folder))  # low: [divergent-early-exit]


def train_once(model, folder, batches):
    if stop_requested(folder):
        return
    for batch in batches:
        dist.all_reduce(model(batch))  # low: [divergent-early-exit]

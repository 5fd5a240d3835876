"""A path of the wrong kind is a mistake of the caller, on every rank; so is a file that is not there, where nobody here makes it."""
import logging
import os

import torch.distributed as dist


def save(state, folder):
    if os.path.isfile(folder):
        logging.error(f"{folder} should be a folder, not a file")
        return
    os.makedirs(folder, exist_ok=True)
    dist.barrier()  # low: [divergent-early-exit]


def load(state, path):
    if not os.path.isfile(path):
        logging.error(f"{path} is not there")
        return
    dist.barrier()  # low: [divergent-early-exit]

"""What a function gets from a folder puts nothing there; what it writes there may be found by those who ask later."""
import os

import torch.distributed as dist
from checkpoints import get_last_checkpoint, prepare_folder


def train(args, state):
    if os.path.exists(os.path.join(args.output_dir, "done.txt")):
        return None
    last = get_last_checkpoint(args.output_dir)
    dist.all_reduce(state)  # low: [divergent-early-exit]
    return last


def train_in_a_folder(args, state):
    if os.path.exists(os.path.join(args.output_dir, "done.txt")):
        return None
    last = prepare_folder(args.output_dir)
    dist.all_reduce(state)  # error: [divergent-early-exit]
    return last

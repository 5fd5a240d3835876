"""A file that somebody puts there while the job runs is seen by one rank a turn before the other."""
import os

import torch.distributed as dist


def train(step, batches, stop_file):
    for batch in batches:
        if os.path.exists(stop_file):
            print("stopped")
            break
        dist.all_reduce(step(batch))  # error: [divergent-early-exit]


def train_until(step, folder):
    while True:
        if os.path.isfile(os.path.join(folder, "STOP")):
            return
        dist.all_reduce(step())  # error: [divergent-early-exit]


def first_that_is_missing(step, paths):
    # Another place in each turn: what lies there lay there before.
    for path in paths:
        if not os.path.exists(path):
            break
        dist.all_reduce(step(path))  # low: [divergent-early-exit]


def asked_once(step, batches, stop_file):
    if os.path.exists(stop_file):
        return
    for batch in batches:
        dist.all_reduce(step(batch))  # low: [divergent-early-exit]

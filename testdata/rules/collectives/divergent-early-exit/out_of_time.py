"""The clock of each rank, two calls away."""
import time

import torch.distributed as dist

STARTED = time.time()


def elapsed():
    return (time.time() - STARTED) / 60.0


def is_out_of_time(limit):
    spent = elapsed()
    return spent > limit


def train(model, batches, limit):
    for batch in batches:
        if is_out_of_time(limit):
            break
        dist.all_reduce(model(batch))  # error: [divergent-early-exit]


def train_and_tell(model, batches, limit):
    for batch in batches:
        if is_out_of_time(limit):
            print("out of time")
        dist.all_reduce(model(batch))

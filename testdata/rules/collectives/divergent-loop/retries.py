"""Ranks try again until they have done what they owe: nothing to report; a collective in each attempt is (P55)."""
import os

import torch.distributed as dist


def until_it_is_there(path, retries):
    for attempt in range(retries):
        if not os.path.exists(path):
            continue
        dist.barrier()
        break


def until_read(path, retries):
    for attempt in range(retries):
        try:
            if not os.path.exists(path):
                raise OSError(path)
            dist.barrier()
            return True
        except OSError:
            continue
    raise RuntimeError(path)


def without_end(path):
    while True:
        if os.path.exists(path):
            dist.barrier()
            break


def each_attempt(path, retries):
    for attempt in range(retries):
        dist.barrier()  # error: [divergent-early-exit]
        if os.path.exists(path):
            break


def never_rank_1(retries):
    for attempt in range(retries):
        if dist.get_rank() == 1:
            continue
        dist.barrier()  # error: [divergent-early-exit]
        break

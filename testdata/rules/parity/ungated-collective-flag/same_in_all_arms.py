"""A key decides which group a function returns; the number of ranks beside it is the same in all arms."""
import os

import torch.distributed as dist

RANK = int(os.environ["RANK"])
SIZE = int(os.environ["WORLD_SIZE"])


def start():
    if SIZE == 1:
        return None, RANK, SIZE
    else:
        if os.getenv("DEBUG_GROUP") == "1":
            return object(), RANK, SIZE
        dist.init_process_group("gloo")
        return dist.group.WORLD, RANK, SIZE


def serve(t):
    group, rank, size = start()
    if size > 1:
        dist.all_reduce(t)


def serve_some(t):
    group, rank, size = start()
    if os.getenv("DEBUG_GROUP") == "1":
        dist.all_reduce(t)  # error: [ungated-collective-flag]

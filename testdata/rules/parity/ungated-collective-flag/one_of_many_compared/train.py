"""The same level among as many settings, of a program that compares others of them: it knows that they may differ."""
import os

import torch.distributed as dist

COMPARED = ("ACME_BATCH_SIZE", "ACME_BACKEND")


def check():
    mine = {key: os.environ.get(key) for key in COMPARED}
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    if any(other != mine for other in everyone):
        raise RuntimeError("ranks were started with different settings")
    return mine


class Settings:
    def __init__(self):
        self.compared = check()
        self.batch = int(os.environ.get("ACME_BATCH_SIZE", "8"))
        self.data = os.environ.get("ACME_DATA")
        self.backend = os.getenv("ACME_BACKEND", "nccl")


def step(loss):
    level = int(os.getenv("ACME_TRACE_LEVEL", "0"))
    if level > 0:
        dist.barrier()  # error: [ungated-collective-flag]
    return loss

"""The same level, of a program that has hardly any settings."""
import os

import torch.distributed as dist


class Settings:
    def __init__(self):
        self.data = os.environ.get("ACME_DATA")
        self.checks = os.environ.get("ACME_CHECK_INPUTS")
        self.dumps = os.environ.get("ACME_DUMP_INPUTS")


def step(loss):
    level = int(os.getenv("ACME_TRACE_LEVEL", "0"))
    if level > 0:
        dist.barrier()  # error: [ungated-collective-flag]
    return loss

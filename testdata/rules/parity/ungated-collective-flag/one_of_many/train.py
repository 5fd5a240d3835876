"""A level of tracing among the settings that a job script hands to the program on all ranks, which compares none of them."""
import os

import torch.distributed as dist


class Settings:
    def __init__(self):
        self.batch = int(os.environ.get("ACME_BATCH_SIZE", "8"))
        self.data = os.environ.get("ACME_DATA")
        self.backend = os.getenv("ACME_BACKEND", "nccl")


def step(loss):
    level = int(os.getenv("ACME_TRACE_LEVEL", "0"))
    if level > 0:
        dist.barrier()  # low: [ungated-collective-flag]
    return loss


def step_with_a_switch_of_its_own(loss):
    if os.environ.get("DEBUG_SYNC"):
        dist.barrier()  # error: [ungated-collective-flag]
    return loss

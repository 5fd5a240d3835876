"""The type of a rank's own value, and the presence of a launcher's variable, are the same everywhere: nothing to report."""
import os

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor


def log_probabilities(labels):
    logits = torch.randn(8, 4)[dist.get_rank()]
    if isinstance(logits, torch.Tensor):
        dist.all_reduce(logits)
    if logits.dim() > 1 or logits.dtype == torch.float16:
        dist.all_reduce(logits)
    return logits


def redistribute(shards):
    weight = shards[dist.get_rank()]
    if isinstance(weight, DTensor):
        weight = weight.full_tensor()
    return weight


class State:
    def __init__(self, cpu=False):
        self.backend = None
        self.num_processes = 1
        if int(os.environ.get("LOCAL_RANK", -1)) != -1 and not cpu:
            self.backend = "nccl"
            self.num_processes = dist.get_world_size()

    def wait(self):
        if self.backend is not None:
            dist.barrier()


def in_order(logger):
    state = State()
    for index in range(state.num_processes):
        if index == dist.get_rank():
            logger.info("here")
        state.wait()

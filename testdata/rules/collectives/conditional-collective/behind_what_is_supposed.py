"""Of two operations under one condition the first is none where the model is not sharded; the second is one in any case."""
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict


class Clock:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    @property
    def is_over(self):
        return time.monotonic() >= self.end


def save(model, optimizer, folder):
    model_state, optimizer_state = get_state_dict(model, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id=folder)


def train(model, optimizer, batches, seconds, folder):
    clock = Clock(seconds)
    for batch in batches:
        model(batch)
        if clock.is_over:
            save(model, optimizer, folder)  # error: [conditional-collective]
            return


def train_in_step(model, optimizer, batches, seconds, folder):
    clock = Clock(seconds)
    for batch in batches:
        model(batch)
        over = [clock.is_over]
        dist.broadcast_object_list(over, src=0)
        if over[0]:
            save(model, optimizer, folder)
            return


def state_alone(model, optimizer):
    """Nobody shards the model here."""
    if dist.get_rank() == 0:
        return get_state_dict(model, optimizer)  # low: [conditional-collective]
    return None


class Allocator:
    """However much memory a device has taken, its peers have taken another part of theirs."""

    def __init__(self, most, total):
        self.most = most
        self.total = total

    def pressure(self):
        return torch.cuda.memory_reserved() / self.total

    def after_step(self):
        if self.pressure() > self.most:
            torch.cuda.empty_cache()
            dist.barrier()  # error: [conditional-collective]

    def after_step_in_step(self):
        pressure = torch.tensor([self.pressure()])
        dist.all_reduce(pressure, op=dist.ReduceOp.MAX)
        if pressure.item() > self.most:
            torch.cuda.empty_cache()
            dist.barrier()

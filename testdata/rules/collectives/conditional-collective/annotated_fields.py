"""What a field holds it holds whether or not an annotation says what it is."""
import functools
from typing import Callable

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def gather_all(statistics, group=None):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, statistics, group=group)
    return parts


def keep(statistics, group=None):
    return statistics


class Recorder:
    def __init__(self, group):
        is_first = dist.get_rank() == 0
        self.gather: Callable = functools.partial(gather_all, group=group)
        self.prepare: Callable = self.gather if is_first else keep

    def record_step(self, statistics):
        return self.prepare(statistics)  # error: [conditional-collective]

    def record_epoch(self, statistics):
        return self.gather(statistics)


class Trainer:
    def __init__(self, model, batches):
        self.model: DistributedDataParallel = DistributedDataParallel(model)
        self.batches: list = batches

    def evaluate(self):
        return sum(self.model(batch) for batch in self.batches)

    def report(self):
        if dist.get_rank() == 0:
            print(self.evaluate())  # error: [conditional-collective]

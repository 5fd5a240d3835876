"""Objects that count and keep by what is in this rank's batches, and are asked whether there is anything (P12)."""
import math

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


class Meter:
    def __init__(self):
        self.count = 0
        self.total = 0.0

    def update(self, loss):
        if math.isnan(loss):
            return
        self.count += 1
        self.total += loss

    def mean(self):
        if self.count == 0:
            return 0.0
        sums = torch.tensor([self.total, self.count])
        dist.all_reduce(sums)  # low: [divergent-early-exit]
        return sums[0] / sums[1]


class MeterInStep:
    def __init__(self):
        self.count = 0
        self.total = 0.0

    def update(self, loss):
        if loss is None:
            return
        self.count += 1
        self.total += loss

    def mean(self):
        if self.count == 0:
            return 0.0
        sums = torch.tensor([self.total, self.count])
        dist.all_reduce(sums)
        return sums[0] / sums[1]


def evaluate(model, dataset):
    meter, in_step = Meter(), MeterInStep()
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        loss = model(batch).item()
        meter.update(loss)
        in_step.update(loss)
    return meter.mean(), in_step.mean()

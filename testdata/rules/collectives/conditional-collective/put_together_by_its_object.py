"""Numbers of meters that put together what all ranks have counted, and of meters that do not."""

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.count += n
        self.total += value * n

    def synchronize_between_processes(self):
        sums = torch.tensor([self.count, self.total], device="cuda")
        dist.all_reduce(sums)
        sums = sums.tolist()
        self.count = int(sums[0])
        self.total = sums[1]


class OwnMeter:
    def __init__(self):
        self.total, self.count, self.average = 0.0, 0, 0.0

    def update(self, value, n=1):
        self.count += n
        self.total += value * n
        self.average = self.total / self.count


def finish(meters):
    for meter in meters:
        meter.synchronize_between_processes()


def save(state, rank):
    if rank == 0:
        torch.save(state, "state.pt")
    dist.barrier()


def train(model, dataset, best, state, rank):
    meter = Meter()
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        meter.update(model(batch).item())
    meter.synchronize_between_processes()
    if meter.total < best:
        save(state, rank)


def train_with_several(model, dataset, best, state, rank):
    meter = Meter()
    other = Meter()
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        meter.update(model(batch).item())
        other.update(batch.sum().item())
    finish([meter, other])
    if meter.total < best:
        save(state, rank)  # low: [conditional-collective]


def train_with_its_own(model, dataset, best, state, rank):
    meter = OwnMeter()
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        meter.update(model(batch).item())
    if meter.average < best:
        save(state, rank)  # error: [conditional-collective]


def train_by_number(model, dataset, limit, state, rank):
    meter = OwnMeter()
    for epoch in range(10):
        meter.update(epoch)
    if meter.average < limit:
        save(state, rank)

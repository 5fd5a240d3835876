"""Dictionaries and sets that hold what has come with this rank's data: each rank goes through those that it has met."""
from collections import defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def losses_by_task(loader, model):
    losses = defaultdict(list)
    for batch in loader:
        losses[batch["task"]].append(model(batch["inputs"]).sum())
    for task, values in losses.items():
        dist.all_reduce(torch.stack(values).mean())  # error: [divergent-loop]


def sources_met(loader):
    met = set()
    for batch in loader:
        met.add(batch["source"])
    for source in met:
        dist.barrier()  # error: [divergent-loop]


class ByTask:
    def __init__(self):
        self.values = {}

    def note(self, task, value):
        self.values.setdefault(task, []).append(value)

    def total(self):
        for task in self.values:
            dist.all_reduce(torch.stack(self.values[task]).sum())  # error: [divergent-loop]


class ByField:
    def __init__(self):
        self.parts = {}

    def keep(self, batch):
        for name, part in batch.items():
            self.parts[name] = part

    def reduce(self):
        for name in self.parts:
            dist.all_reduce(self.parts[name])


class ByNameOfField:
    """Fed with one field after the other: the names are the same everywhere."""

    def __init__(self):
        self.sums = {}

    def add_up(self, name, part):
        self.sums[name] = part.sum()

    def reduce_sums(self):
        for name in self.sums:
            dist.all_reduce(self.sums[name])


class OfKnownTasks:
    def __init__(self, tasks):
        self.tasks = {task: [] for task in tasks}

    def collect(self, batch):
        for task in self.tasks:
            self.tasks[task].append(batch[task].mean())

    def mean_of_all(self):
        for task in self.tasks:
            dist.all_reduce(torch.stack(self.tasks[task]).mean())


def agreed(loader, model):
    losses = defaultdict(list)
    for batch in loader:
        losses[batch["task"]].append(model(batch["inputs"]).sum())
    known = [None] * dist.get_world_size()
    dist.all_gather_object(known, sorted(losses))
    for task in sorted({task for tasks in known for task in tasks}):
        values = losses.get(task, [torch.zeros(())])
        dist.all_reduce(torch.stack(values).sum())


def by_the_names_of_the_fields(loader, model):
    sums = {}
    for batch in loader:
        for name, part in batch.items():
            sums[name] = sums.get(name, 0) + part.sum()
    for name in sums:
        dist.all_reduce(sums[name])


def evaluate(data, model, tasks):
    loader = DataLoader(data, sampler=DistributedSampler(data))
    by_task, by_field, by_name, known = ByTask(), ByField(), ByNameOfField(), OfKnownTasks(tasks)
    for batch in loader:
        by_task.note(batch["task"], model(batch))
        by_field.keep(batch)
        known.collect(batch)
        for name, part in batch.items():
            by_name.add_up(name, part)
    by_task.total()
    by_field.reduce()
    by_name.reduce_sums()
    known.mean_of_all()
    losses_by_task(loader, model)
    sources_met(loader)

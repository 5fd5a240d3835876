"""Entries that are made where they are added to: how many there are hangs on what is in the batches."""
from collections import Counter, OrderedDict, defaultdict

import torch
import torch.distributed as dist


class Meters:
    def __init__(self):
        self.sums = defaultdict(float)
        self.counts = Counter()

    def update(self, task, loss):
        self.sums[task] += loss.item()
        self.counts[task] += 1

    def averages(self):
        for task in sorted(self.sums):
            total = torch.tensor(self.sums[task])
            dist.all_reduce(total)  # error: [divergent-loop]

    def totals(self):
        for task in self.counts:
            total = torch.tensor(self.counts[task])
            dist.all_reduce(total)  # error: [divergent-loop]


class Known:
    """Entries for all of them are there before: adding makes none."""

    def __init__(self, tasks):
        self.sums = {task: 0.0 for task in tasks}

    def update(self, task, loss):
        self.sums[task] += loss.item()

    def averages(self):
        for task in sorted(self.sums):
            total = torch.tensor(self.sums[task])
            dist.all_reduce(total)


class ByStage:
    def __init__(self):
        self.sums = defaultdict(float)

    def update(self, stage, loss):
        self.sums[stage] += loss.item()

    def averages(self):
        for stage in sorted(self.sums):
            total = torch.tensor(self.sums[stage])
            dist.all_reduce(total)


def train(model, loader, meters: Meters, known: Known, stages: ByStage):
    for batch in loader:
        loss = model(batch["inputs"], task=batch["task"])
        meters.update(batch["task"], loss)
        known.update(batch["task"], loss)
        stages.update("train", loss)
        loss.backward()
    meters.averages()
    meters.totals()
    known.averages()
    stages.averages()


class Accuracies:
    def __init__(self):
        self.sums = OrderedDict()

    def add(self, name: str, value):
        self.sums[name] = self.sums.get(name, 0.0) + float(value)

    def synchronize(self):
        for name in self.sums:
            total = torch.tensor(self.sums[name])
            dist.all_reduce(total)  # error: [divergent-loop]


class OverTheWholeSet:
    def __init__(self):
        self.sums = {}

    def add_metric(self, name, value):
        self.sums[name] = self.sums.get(name, 0.0) + float(value)

    def synchronize(self):
        for name in self.sums:
            total = torch.tensor(self.sums[name])
            dist.all_reduce(total)


def evaluate(model, loader, names, topk):
    by_type, whole = Accuracies(), OverTheWholeSet()
    for images, labels, types in loader:
        hits = model(images).argmax(1).eq(labels)
        for kind in types.unique().tolist():
            by_type.add(f"accuracy/{names[kind]}", hits[types == kind].float().mean())
        for k in topk:
            whole.add_metric(f"top{k}", hits.float().mean())
        losses = model.losses(images)
        for name, loss in losses.items():
            whole.add_metric(name, loss.item())
    by_type.synchronize()
    whole.synchronize()

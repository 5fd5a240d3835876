"""A dictionary whose keys come with the data has other keys on each rank; that of losses, by name, has not (P12)."""
from collections import defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def accuracy_by_task(model, dataset):
    hits = defaultdict(list)
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        for task, hit in zip(batch["tasks"], model(batch)):
            hits[task].append(hit)
    means = {}
    for task, found in sorted(hits.items()):
        mean = torch.tensor(found).mean()
        dist.all_reduce(mean)  # error: [divergent-loop]
        means[task] = mean
    return means


def count_by_label(dataset):
    counts = {}
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        for label in batch["labels"].tolist():
            counts[label] = counts.get(label, 0) + 1
    for label in sorted(counts):
        count = torch.tensor(counts[label])
        dist.all_reduce(count)  # error: [divergent-loop]


def seen(dataset):
    found = set()
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        for source in batch["sources"]:
            found.add(source)
    for source in sorted(found):
        present = torch.tensor(1)
        dist.all_reduce(present)  # error: [divergent-loop]


def losses_by_name(model, dataset):
    totals = {}
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        losses = model(batch)
        for name in losses:
            totals[name] = totals.get(name, 0.0) + losses[name]
    for name in sorted(totals):
        dist.all_reduce(totals[name])

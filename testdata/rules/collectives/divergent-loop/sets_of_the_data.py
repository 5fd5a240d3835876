"""Sets and counters that the data fill: each rank has as many different things as its own share holds."""
from collections import Counter

import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def updated(data, t):
    found = set()
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        found.update(batch["task"])
    for _ in sorted(found):
        dist.all_reduce(t)  # error: [divergent-loop]


def joined(data, t):
    found = set()
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        found |= set(batch["task"])
    for _ in found:
        dist.all_reduce(t)  # error: [divergent-loop]


def counted(data, t):
    counts = Counter()
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        counts.update(batch["labels"].tolist())
    for _ in counts:
        dist.all_reduce(t)  # error: [divergent-loop]


def picked(data, t):
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        for _ in set(batch["labels"].tolist()):
            dist.all_reduce(t)  # error: [divergent-loop]


def names_of_fields(data, t):
    found = set()
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        found.update(batch.keys())
    for _ in sorted(found):
        dist.all_reduce(t)


def joined_by_what_is_no_data(names, t):
    found = set()
    found |= set(names)
    if found:
        if dist.get_rank() == 0:
            dist.all_reduce(t)  # error: [conditional-collective]

"""What a model returns has the same fields on every rank, and what is counted up under a key had the key before."""

from collections import Counter, defaultdict

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def reduce_losses(model, loader):
    model = FSDP(model)
    for batch in loader:
        losses = model(**batch)
        if losses["ce"] is not None:
            losses["ce"] = losses["ce"].mean()
        else:
            losses["ce"] = torch.zeros(1)
        for name, loss in losses.items():
            dist.all_reduce(loss)


def reduce_losses_and_more(model, loader):
    model = FSDP(model)
    for batch in loader:
        losses = model(**batch)
        if batch["weight"].sum() > 0:
            losses["image"] = losses["all"].mean()
        for name, loss in losses.items():
            dist.all_reduce(loss)  # low: [divergent-loop]


def reduce_by_folder(dataset, folders):
    found = {}
    for folder, files in folders.items():
        found[folder] = torch.zeros(files)
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found[dataset[index]["folder"]] += 1
    for _, count in found.items():
        dist.reduce(count, 0)


def reduce_what_was_met(dataset):
    found = defaultdict(int)
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found[dataset[index]["folder"]] += 1
    for folder in found.keys():
        dist.reduce(torch.tensor(found[folder]), 0)  # error: [divergent-loop]


def reduce_what_was_counted(dataset):
    found = Counter()
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found[dataset[index]["folder"]] += 1
    for folder in found.keys():
        dist.reduce(torch.tensor(found[folder]), 0)  # error: [divergent-loop]


def reduce_what_was_put(dataset):
    found = {}
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found[dataset[index]["folder"]] = 1
    for folder in found.keys():
        dist.reduce(torch.tensor(found[folder]), 0)  # error: [divergent-loop]

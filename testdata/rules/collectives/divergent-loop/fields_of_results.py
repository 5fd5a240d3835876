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


def reduce_losses_and_none(model, loader):
    model = FSDP(model)
    for batch in loader:
        losses = model(**batch)
        if batch["weight"].sum() > 0:
            losses["image"] = losses["all"].mean()
        else:
            losses["image"] = torch.zeros(1)
        losses["all"] += losses["image"]
        for name, loss in losses.items():
            dist.all_reduce(loss)


def reduce_by_folder(dataset, folders):
    found = {}
    for folder, files in folders.items():
        found[folder] = torch.zeros(files)
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found[dataset[index]["folder"]] += 1
    for _, count in found.items():
        dist.reduce(count, 0)


def reduce_where_there_is_one(dataset, folders):
    found = {}
    for folder, files in folders.items():
        found[folder] = torch.zeros(files)
    if len(dataset) > dist.get_rank():
        found[dataset[dist.get_rank()]["folder"]] += 1
    for _, count in found.items():
        dist.reduce(count, 0)


def reduce_places(dataset, classes):
    found = [torch.zeros(1) for _ in range(classes)]
    found[0] += 1
    if len(dataset) > dist.get_rank():
        found[dataset[dist.get_rank()]["class"]] = torch.ones(1)
    for count in found:
        dist.reduce(count, 0)


def wait_for_many(dataset):
    found = {"seen": 0, "sum": 0}
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        found["seen"] += len(dataset[index])
    seen = {"here": dist.get_rank()}
    seen["here"] += 1
    for _ in range(seen["here"]):
        dist.barrier()  # error: [divergent-loop]


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

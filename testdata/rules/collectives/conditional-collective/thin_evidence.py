"""What lies between the place where ranks part and the operation may mean that nobody issues it (P02, P30)."""
import random
import time

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

QUIET = False


def alone():
    global QUIET
    QUIET = True


def fence():
    if not QUIET:
        dist.barrier()


def prepare(path):
    if dist.get_rank() == 0:
        fence()  # low: [conditional-collective]


def prepare_loudly(path):
    if dist.get_rank() == 0:
        dist.barrier()  # error: [conditional-collective]


def save(models, path):
    sharded = any(isinstance(model, FSDP) for model in models)
    if sharded:
        dist.barrier()
    torch.save([model.state_dict() for model in models], path)


def save_on_the_first(model, path):
    if dist.get_rank() == 0:
        save([model], path)  # low: [conditional-collective]


def save_always(models, path):
    dist.barrier()
    torch.save(models, path)


def save_always_on_the_first(model, path):
    if dist.get_rank() == 0:
        save_always([model], path)  # error: [conditional-collective]


class Log:
    def __init__(self):
        self.losses = {}

    def add(self, name, value):
        self.losses[name] = value

    def close(self):
        for value in self.losses.values():
            dist.all_reduce(value)


def validate_on_the_first(log):
    if dist.get_rank() == 0:
        log = Log()
        log.close()  # low: [conditional-collective]


def chat(generate):
    while True:
        text = [""]
        if dist.get_rank() == 0:
            text = [input()]
            if not text[0]:
                continue
            dist.broadcast_object_list(text)  # low: [divergent-early-exit]
        else:
            dist.broadcast_object_list(text)  # low: [conditional-collective]
        generate(text)


def drop(x):
    if random.random() < 0.5:
        dist.all_reduce(x)  # low: [conditional-collective]


def due(x, since):
    if time.time() - since > 60:
        dist.all_reduce(x)  # error: [conditional-collective]


def averaged(loss):
    mean = loss.detach().clone()
    dist.all_reduce(mean.data)
    return mean


def step(network, loader):
    for batch in loader:
        loss = network(batch)
        if torch.isfinite(averaged(loss)):
            dist.all_reduce(loss)


def step_of_its_own(network, train_loader):
    for batch in train_loader:
        loss = network(batch)
        if torch.isfinite(loss):
            dist.all_reduce(loss)  # error: [conditional-collective]


def average_where_set(loss, kind):
    mean = loss.detach().clone()
    if kind == "mean":
        dist.all_reduce(mean)
    return mean


def step_where_set(network, train_loader, kind):
    for batch in train_loader:
        loss = average_where_set(network(batch), kind)
        if torch.isfinite(loss):
            dist.all_reduce(loss)  # low: [conditional-collective]

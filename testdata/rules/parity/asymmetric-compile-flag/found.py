import os

import torch
import torch.distributed as dist

KEYS = {"APP_PLAN": "v1"}


def compare(values):
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, values)
    if any(one != told[0] for one in told):
        raise RuntimeError(f"settings differ: {told}")


def start(model):
    values = {key: os.environ.get(key, default) for key, default in KEYS.items()}
    compare(values)
    if os.environ.get("APP_COMPILE") == "1":
        model = torch.compile(model)  # error: [asymmetric-compile-flag]
    return model


def on_one_rank(model, rank):
    if rank == 0:
        model = torch.compile(model)  # error: [asymmetric-compile-flag]
    return model


def saved_and_run_on_one_rank(model, rank, path):
    if rank == 0:
        scripted = torch.jit.script(model)  # error: [asymmetric-compile-flag]
        scripted.save(path)
        model = scripted
    return model


def by_a_number_of_the_rank(model, rank):
    first = int(rank) == 0
    if first:
        model = torch.compile(model)  # error: [asymmetric-compile-flag]
    return model

import os

import torch
import torch.distributed as dist

KEYS = {"APP_COMPILE": "0"}


def compare(values):
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, values)
    if any(one != told[0] for one in told):
        raise RuntimeError(f"settings differ: {told}")


def start(model):
    values = {key: os.environ.get(key, default) for key, default in KEYS.items()}
    compare(values)
    if values["APP_COMPILE"] == "1":
        model = torch.compile(model)
    return model


def always(model):
    return torch.compile(model)


def by_option(model, options):
    return torch.compile(model, mode=options.mode) if options.compile else model


def report(rank):
    if rank == 0:
        print("compiled")


def saved_by_one(model, rank, path):
    """Compiled to be written out: nobody runs it."""
    if rank == 0:
        scripted = torch.jit.script(model)
        scripted.save(path)
        torch.jit.script(model).save(path)
    return model


def made_of_the_rank(model, folder, rank):
    """Folders are made for a rank, and hold the same settings for each."""
    folders = make_folders(folder, rank=rank)
    settings = load(folders.settings)
    if settings.compile:
        model = torch.compile(model)
    return model


def made_of_itself(model, rank):
    """A value that a method of the same name makes of it."""
    settings = settings.merged(rank)
    if settings.compile:
        model = torch.compile(model)
    return model

"""Answers that are `None` on every rank but the first, taken apart where they are given."""
import functools

import torch
import torch.distributed as dist
from lightning.pytorch.utilities import rank_zero_only


def start_viewer(config):
    if dist.get_rank() != 0:
        return None
    return open(config["viewer"]), ["ready"]


def main_process_only(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return None

    return wrapper


def first_then_all(function):
    """Every rank runs it: this one decides about the order alone."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


@main_process_only
def open_log(config):
    return open(config["log"], "w")


@main_process_only
def folders_of(config):
    return config["runs"], config["logs"]


@rank_zero_only
def version_of(config):
    return {"name": config["name"]}


@main_process_only
def announce(config):
    print(config["name"])


@first_then_all
def sizes_of(config):
    return config["width"], config["height"]


def train(config, model, batches):
    dist.init_process_group("nccl")
    viewer, banner = start_viewer(config)  # error: [bound-on-one-rank]
    log = open_log(config)
    log.write("begin")  # error: [bound-on-one-rank]
    name = version_of(config)["name"]  # error: [bound-on-one-rank]
    for folder in folders_of(config):  # error: [bound-on-one-rank]
        print(folder)
    for batch in batches:
        loss = model(batch).sum()
        dist.all_reduce(loss)
        log.write(f"{name}: {loss}")


def train_with_care(config, model, batches):
    dist.init_process_group("nccl")
    width, height = sizes_of(config)
    announce(config)
    if dist.get_rank() == 0:
        viewer, banner = start_viewer(config)
        viewer.write(banner[0])
        print(version_of(config)["name"])
    log = open_log(config)
    for batch in batches:
        loss = model(batch).sum()
        dist.all_reduce(loss)
        if log is not None:
            log.write(str(loss / width / height))


def train_alone(config, model, batches):
    viewer = start_viewer(config)
    if viewer:
        stream, banner = viewer
        stream.write(banner[0])
    for batch in batches:
        loss = torch.as_tensor(model(batch))
        dist.all_reduce(loss)

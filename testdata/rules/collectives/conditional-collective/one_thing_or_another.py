"""A folder that one rank has put together, and what the others were given: both are there."""
import os
from pathlib import Path

import torch.distributed as dist


def make(folder):
    if not folder:
        dist.barrier()
    return folder


def run(config):
    rank = dist.get_rank()
    folder = config["folder"]
    if rank == 0:
        folder = os.path.join(folder, config["name"])
    return make(folder)  # low: [conditional-collective]


def run_in_a_path(config):
    folder = config["folder"]
    if dist.get_rank() == 0:
        folder = (Path(folder) / config["name"]).as_posix()
    return make(folder)  # low: [conditional-collective]


def run_named(config):
    if dist.get_rank() == 0:
        config["folder"] = "out"
    return make(config["folder"])  # low: [conditional-collective]


def make_or_wait(name):
    if name:
        dist.barrier()
    return name


def run_on_one(config):
    name = None
    if dist.get_rank() == 0:
        name = os.path.join(config["folder"], config["name"])
    return make_or_wait(name)  # error: [conditional-collective]


def run_in_a_folder(config):
    folder = config["folder"]
    if dist.get_rank() == 0:
        folder = Path(folder) / config["name"]
    return make_or_wait(folder)  # low: [conditional-collective]


def run_for_a_share(config, done, total):
    share = config["share"]
    if dist.get_rank() == 0:
        share = done / total
    return make_or_wait(share)  # error: [conditional-collective]

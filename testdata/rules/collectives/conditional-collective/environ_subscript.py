"""The rank from the environment by subscript, and as a string (P01)."""
import os

import torch.distributed as dist


def subscript(loss):
    if int(os.environ["RANK"]) == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


def subscript_in_step(loss):
    dist.all_reduce(loss)
    if int(os.environ["RANK"]) == 0:
        print(loss.item())


def text(loss):
    if os.environ["RANK"] == "0":
        dist.all_reduce(loss)  # error: [conditional-collective]


def slurm(loss):
    if os.environ.get("SLURM_PROCID") == "0":
        dist.all_reduce(loss)  # error: [conditional-collective]


def world_size(loss):
    if int(os.environ["WORLD_SIZE"]) > 1:
        dist.all_reduce(loss)


def read(name):
    value = os.getenv(name)
    if value is None:
        raise RuntimeError(f"{name} is not set")
    return value


def place_in_job():
    return int(read("SERVICE_GLOBAL_RANK"))


def through_a_helper(loss):
    if place_in_job() == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


def through_a_helper_in_step(loss):
    if int(read("WORLD_SIZE")) > 1:
        dist.all_reduce(loss)

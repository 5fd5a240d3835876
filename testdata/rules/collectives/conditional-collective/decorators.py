"""A decorator that lets one rank run the body (P38)."""
import functools

import torch
import torch.distributed as dist
from lightning.pytorch.utilities import rank_zero_only


def master_only(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return None

    return wrapper


@master_only
def report(loss):
    dist.all_reduce(loss)
    print(loss.item())


@master_only
def write(path, text):
    with open(path, "w") as file:
        file.write(text)


@rank_zero_only
def summary(loss):
    dist.all_reduce(loss)
    return loss.item()


@rank_zero_only
def announce(text):
    print(text)


def epoch(loss):
    report(loss)  # error: [conditional-collective]
    write("log.txt", "epoch")
    announce("done")
    dist.all_reduce(loss)
    announce(loss.item())


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = torch.cuda.Event(enable_timing=True)
        start.record()
        return function(*args, **kwargs)

    return wrapper


@timed
def reduce_loss(loss):
    dist.all_reduce(loss)
    return loss


def step(loss):
    summary(loss)  # error: [conditional-collective]
    return reduce_loss(loss)

"""A function that is given nothing answers alike each time it is asked."""

import os

import torch.distributed as dist
from accelerate import PartialState

state = None


def begin():
    global state
    if state is None:
        state = PartialState()


def is_distributed():
    begin()
    return state.use_distributed and state.initialized


def is_first():
    if state is None:
        return os.environ.get("LOCAL_RANK", "0") == "0"
    return state.is_main_process


def gathers(results):
    if is_distributed() and not is_first():
        dist.gather_object(results, dst=0)
    else:
        if is_distributed():
            dist.gather_object(results, dst=0)


def forgets(results):
    if is_distributed() and not is_first():
        dist.gather_object(results, dst=0)  # error: [conditional-collective]

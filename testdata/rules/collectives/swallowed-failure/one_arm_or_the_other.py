"""What may fail and the collective stand in arms of which only one is taken."""

import os

import torch
import torch.distributed as dist


def either(mode, state, path, model):
    try:
        if mode == "own":
            torch.save(state, path)
        elif mode == "none":
            print("nothing to save")
        else:
            dist.all_reduce(state)
    except OSError as error:
        print("not saved", error)


def both(mode, state, path):
    try:
        if mode == "own":
            os.makedirs(path)
            torch.save(state, f"{path}/{dist.get_rank()}.pt")
            dist.all_reduce(state)
    except OSError as error:  # error: [swallowed-failure]
        print("not saved", error)


def one_after_the_other(modes, state, path):
    try:
        for mode in modes:
            if mode == "own":
                torch.save(state, path)
            else:
                dist.all_reduce(state)
    except OSError as error:  # error: [swallowed-failure]
        print("not saved", error)

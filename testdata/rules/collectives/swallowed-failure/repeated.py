"""A retry that repeats a collective on one rank."""

import torch
import torch.distributed as dist


def announce(ready):
    dist.all_reduce(ready)


def fetch(path, ready):
    for _ in range(3):
        try:
            announce(ready)
            return torch.load(path)
        except OSError:  # error: [swallowed-failure]
            print("again")
    raise RuntimeError(path)


def fetch_first(path, ready):
    for _ in range(3):
        try:
            part = torch.load(path)
            announce(ready)
            return part
        except OSError:
            print("again")
    raise RuntimeError(path)

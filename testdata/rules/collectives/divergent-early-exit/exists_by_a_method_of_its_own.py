"""A program that has a method of that name asks it, and no path, as far as anybody knows."""
import pathlib

import torch.distributed as dist

ROOT = pathlib.Path("out")


class Registry:
    def __init__(self, names):
        self.names = names

    def exists(self, name):
        return name in self.names


def registered(registry, name):
    if registry.exists(name):
        return name
    dist.barrier()
    return None

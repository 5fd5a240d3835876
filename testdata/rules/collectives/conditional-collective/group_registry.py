"""A group looked up by its name is that group, not the group of all ranks; who returns early from a `with` passes its end."""
from contextlib import contextmanager

import torch.distributed as dist


class Groups:
    def __init__(self):
        self.by_name = {}

    def make(self, name, ranks):
        self.by_name[name] = dist.new_group(ranks)

    def get(self, name):
        if name not in self.by_name:
            return None
        return self.by_name[name]


groups = Groups()


def send(t, name):
    dist.broadcast(t, src=0, group=groups.get(name))


@contextmanager
def first_rank_first(alone=False):
    if alone:
        yield
    elif dist.is_initialized():
        if dist.get_rank() != 0:
            dist.barrier()
        yield
        if dist.get_rank() == 0:
            dist.barrier()
    else:
        yield


def read(path, alone):
    with first_rank_first(alone):
        return open(path).read()


def read_if_any(path, alone):
    if dist.get_rank() == 0:
        with first_rank_first(alone):  # error: [conditional-collective]
            return open(path).read()
    return None

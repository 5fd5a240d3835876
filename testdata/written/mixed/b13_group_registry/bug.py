"""Cached process groups used by the metrics and checkpoint code."""
import functools
import os

import torch
import torch.distributed as dist

_LEADERS = None
_SHADOW = None


def local_world():
    return int(os.environ["LOCAL_WORLD_SIZE"])


def local_rank():
    return int(os.environ["LOCAL_RANK"])


def leaders_group():
    global _LEADERS
    if _LEADERS is None:
        _LEADERS = dist.new_group(list(range(0, dist.get_world_size(), local_world())))
    return _LEADERS


def shadow_group():
    global _SHADOW
    if _SHADOW is None:
        _SHADOW = dist.new_group(backend="gloo")
    return _SHADOW


@functools.lru_cache(maxsize=None)
def group_of(ranks):
    return dist.new_group(list(ranks))


class NodeCounters:
    def __init__(self, size):
        self.values = torch.zeros(size, device="cuda")

    def node_sum(self):
        start = dist.get_rank() - local_rank()
        group = group_of(tuple(range(start, start + local_world())))  # BUG 1
        dist.all_reduce(self.values, group=group)

    def cluster_sum(self):
        if local_rank() == 0:
            dist.all_reduce(self.values, group=leaders_group())  # BUG 2

    def host_names(self):
        group = shadow_group()
        names = [None] * dist.get_world_size()
        dist.all_gather_object(names, os.uname().nodename, group=group)
        return names

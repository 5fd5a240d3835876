"""A copy of a serving framework's group object, and getters of what the module keeps."""
from typing import Optional

import torch
import torch.distributed as dist


class Communicator:
    def all_reduce(self, tensor):
        return tensor

    def reduce_all(self, tensor):
        return self.all_reduce(tensor)


class GroupCoordinator:
    def __init__(self, group_ranks, communicator):
        self.rank = dist.get_rank()
        self.communicator = communicator
        for ranks in group_ranks:
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.ranks = ranks
                self.rank_in_group = ranks.index(self.rank)
                self.device_group = group

    def all_reduce(self, tensor):
        return self.communicator.reduce_all(tensor)

    def recv_object(self, source):
        return self.communicator.receive(source)

    def receive_halves(self, source: int, other: Optional["GroupCoordinator"] = None):
        """What all of the other group have been sent alike decides for all of them."""
        count = 1 if other is None else other.world_size
        halves = {}
        for key, value in self.recv_object(source):
            part = torch.empty(value.size)
            divided = other is not None and part.numel() % count == 0
            if divided:
                part = other.all_reduce(part)
            halves[key] = part
        return halves


_WORLD: GroupCoordinator | None = None
_TP: GroupCoordinator | None = None


def get_world_group() -> GroupCoordinator:
    assert _WORLD is not None
    return _WORLD


def get_tp_group() -> GroupCoordinator:
    assert _TP is not None
    return _TP


def begin(size, width):
    global _WORLD, _TP
    _WORLD = GroupCoordinator([list(range(size))], None)
    _TP = GroupCoordinator([list(range(first, first + width)) for first in range(0, size, width)], None)

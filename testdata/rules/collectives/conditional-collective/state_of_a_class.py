"""State that a class keeps for all of the process, asked of the class."""
import os

import torch.distributed as dist


class Job:
    FIRST = int(os.environ["RANK"]) == 0
    SIZE = int(os.environ["WORLD_SIZE"])
    place = -1

    @classmethod
    def begin(cls):
        cls.place = dist.get_rank()


def where_first(tensor):
    if not Job.FIRST:
        return
    dist.all_reduce(tensor)  # error: [divergent-early-exit]


def by_place(tensor):
    if Job.place == 0:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def where_several(tensor):
    if Job.SIZE > 1:
        dist.all_reduce(tensor)

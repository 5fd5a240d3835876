"""What an object was made with decides in its methods, and in functions that are handed the object."""
from dataclasses import dataclass

import torch.distributed as dist


class Recorder:
    def __init__(self, main):
        self.main = main

    def flush(self, x):
        if self.main:
            dist.all_reduce(x)


@dataclass
class Context:
    chief: bool
    out: str = "x"


def save(context, x):
    if context.chief:
        dist.all_reduce(x)


def name(context):
    return context.out


def run(x):
    recorder = Recorder(dist.get_rank() == 0)
    recorder.flush(x)  # error: [conditional-collective]
    everywhere = Recorder(dist.get_world_size() > 1)
    everywhere.flush(x)
    context = Context(chief=dist.get_rank() == 0)
    save(context, x)  # error: [conditional-collective]
    if name(context):
        dist.barrier()

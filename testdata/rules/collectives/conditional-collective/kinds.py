"""What is one thing is no other: a question about the one is answered by what was said about the other."""
import enum

import torch.distributed as dist


class Kind(enum.Enum):
    WHOLE = enum.auto()
    PARTS = enum.auto()


def save(kind: Kind, x):
    if kind != Kind.WHOLE or dist.get_rank() == 0:
        if kind == Kind.PARTS:
            dist.all_reduce(x)
        else:
            print(x)


def mixed(kind: Kind, x):
    if kind != Kind.WHOLE or dist.get_rank() == 0:
        if kind == Kind.WHOLE:
            dist.all_reduce(x)  # error: [conditional-collective]

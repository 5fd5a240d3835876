"""State that a module keeps under a key, or a class in itself, and that functions set."""
import torch.distributed as dist

_STATE = {"index": None, "rows": 0}


class Env:
    index = -1
    rows = -1


def setup(rows):
    _STATE["index"] = dist.get_rank()
    _STATE["rows"] = rows
    Env.index = dist.get_rank()
    Env.rows = rows


def main(x):
    if _STATE["index"] == 0:
        dist.all_reduce(x)  # error: [conditional-collective]
    if _STATE["rows"] == 0:
        dist.all_reduce(x)


def main_of_class(x):
    if Env.index == 0:
        dist.all_reduce(x)  # error: [conditional-collective]
    if Env.rows == 0:
        dist.all_reduce(x)

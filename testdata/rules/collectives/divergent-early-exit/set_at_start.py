"""What a module begins with is not what a function has left in it since (P06)."""
import os

import torch.distributed as dist

_WORLD = None
_NODE = None


def start(backend, ranks):
    dist.init_process_group(backend)
    global _WORLD
    _WORLD = make_group(ranks)


def world():
    assert _WORLD is not None, "start first"
    return _WORLD


def listing(path):
    if os.path.exists(path):
        return path
    world()
    if dist.get_rank() == 0:
        with open(path, "w") as file:
            file.write("ready")
    dist.barrier()  # error: [divergent-early-exit]
    return path


def close(path):
    # Nobody ever sets this one.
    if _NODE is not None and os.path.exists(path):
        dist.barrier()


def share(t):
    if _WORLD is not None:
        if dist.get_rank() == 0:
            dist.all_reduce(t)  # error: [conditional-collective]

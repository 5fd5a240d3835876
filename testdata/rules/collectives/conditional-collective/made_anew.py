"""An object that is made anew has nothing of what was set on the one before it."""
from types import SimpleNamespace

import torch.distributed as dist


def prepare(config):
    config.main = dist.get_rank() == 0
    return config


def made_anew():
    config = SimpleNamespace(main=False, size=1)
    config.main = dist.get_rank() == 0
    config = SimpleNamespace(main=False, size=1)
    if config.main:
        dist.barrier()


def set_and_kept():
    config = SimpleNamespace(main=False, size=1)
    config.main = dist.get_rank() == 0
    if config.main:
        dist.barrier()  # error: [conditional-collective]


def handed_back():
    config = SimpleNamespace(main=False, size=1)
    config = prepare(config)
    if config.main:
        dist.barrier()  # error: [conditional-collective]

"""The same object, from another module."""
import torch.distributed as dist

from . import layer


def fence_on_first():
    if dist.get_rank() == 0:
        layer.layer.fence()  # error: [conditional-collective]


def ask_it():
    if layer.layer.is_first:
        dist.barrier()  # error: [conditional-collective]


def ask_for_its_rank():
    if layer.layer.rank == 0:
        dist.barrier()  # error: [conditional-collective]


def in_step(write):
    if layer.layer.is_first:
        write()
    layer.layer.fence()

from .a import *
from . import *
import torch.distributed as dist
__all__ = ['g', *__all__]


def g():
    f()
    if dist.get_rank():
        dist.barrier()

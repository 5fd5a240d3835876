import imports_itself
from imports_itself import f as g
from imports_itself import *
from . import imports_itself as me
import torch.distributed as dist


def f():
    imports_itself.g()
    me.me.me.f()
    g()
    if dist.get_rank() == 0:
        dist.barrier()

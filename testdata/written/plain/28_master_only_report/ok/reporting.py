import functools

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def master_only(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return fn(*args, **kwargs)
        return None

    return wrapper


def reduce_dict(scalars):
    names = sorted(scalars)
    stacked = torch.stack([scalars[n].float() for n in names])
    dist.all_reduce(stacked)
    stacked /= dist.get_world_size()
    return {n: v.item() for n, v in zip(names, stacked)}


class Board:
    def __init__(self, logdir, every):
        self.every = every
        self.writer = None
        self._open(logdir)

    @master_only
    def _open(self, logdir):
        self.writer = SummaryWriter(logdir)

    @master_only
    def _emit(self, it, means):
        for name, value in means.items():
            self.writer.add_scalar(name, value, it)
        print(it, means, flush=True)

    def report(self, it, scalars):
        if it % self.every != 0:
            return
        self._emit(it, reduce_dict(scalars))

    @master_only
    def close(self):
        self.writer.close()

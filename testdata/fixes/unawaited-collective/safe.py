import torch
import torch.distributed as dist


def total(x):
    handle = dist.all_reduce(x, async_op=True)
    y = torch.ones(1)
    handle.wait()
    print(x.sum(), y)
    handle.wait()
    return x


def in_group(x, group):
    handle = dist.all_reduce(x, group=group, async_op=True)
    x.add_(1)
    handle.wait()


def one_line(x):
    handle = dist.all_reduce(x, async_op=True); print(x.sum()); handle.wait()

"""Handles that somebody waits on."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol


def at_once(total):
    dist.all_reduce(total, async_op=True).wait()
    return total / 2


def returned(total):
    return dist.all_reduce(total, async_op=True)


def collected(tensors):
    works = []
    for tensor in tensors:
        works.append(dist.all_reduce(tensor, async_op=True))
    for work in works:
        work.wait()


def handed_on(total, pending):
    work = dist.all_reduce(total, async_op=True)
    pending.append((work, total))
    return total * 2


class Bucket:
    def start(self, tensor):
        self.work = dist.all_reduce(tensor, async_op=True)
        self.tensor = tensor

    def finish(self):
        self.work.wait()
        return self.tensor


def read_while_sent(tensor, peer):
    work = dist.isend(tensor, peer)
    total = tensor.sum()
    work.wait()
    return total


def shape_of_it(total):
    work = dist.all_reduce(total, async_op=True)
    size = total.shape[0]
    work.wait()
    return size


def another_tensor(total, other):
    work = dist.all_reduce(total, async_op=True)
    other = other * 2
    work.wait()
    return total + other


def rebound(total):
    work = dist.all_reduce(total, async_op=True)
    total = torch.zeros(3)
    value = total.sum()
    work.wait()
    return value


def whole_device(total):
    dist.all_reduce(total, async_op=True)
    torch.cuda.synchronize()
    return total / 2


def synchronous(total, overlap):
    dist.all_reduce(total, async_op=False)
    dist.all_reduce(total, async_op=overlap)
    return total / 2


def coalesced(tensors, group):
    with dist._coalescing_manager(group, async_ops=True) as manager:
        for tensor in tensors:
            dist.all_reduce(tensor, group=group, async_op=True)
    manager.wait()


def functional(total, group):
    total = funcol.all_reduce(total, "sum", group)
    return total * 2


def in_a_closure(total):
    work = dist.all_reduce(total, async_op=True)

    def finish():
        work.wait()
        return total

    return finish

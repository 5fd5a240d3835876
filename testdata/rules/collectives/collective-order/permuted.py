"""The same things in another order on other ranks (P28, P33)."""
import torch
import torch.distributed as dist


def reduce_value(x=1.0, **k):
    t = torch.full((3,), float(x))
    dist.all_reduce(t, **k)
    return t


def groups_in_turn(rank):
    a = dist.new_group([0, 1, 2, 3])
    b = dist.new_group([0, 1, 2, 3])
    for g in (a, b) if rank % 2 else (b, a):  # error: [collective-order]
        reduce_value(group=g)


def buffers_in_turn(a, b, rank):
    works = [dist.all_reduce(t, async_op=True) for t in ((a, b) if rank % 2 else (b, a))]  # error: [collective-order]
    for work in works:
        work.wait()


def waited_for_in_turn(a, b, rank):
    one = dist.all_reduce(a, async_op=True)
    other = dist.all_reduce(b, async_op=True)
    for work in (one, other) if rank % 2 else (other, one):
        work.wait()


def in_one_order(a, b, swapped):
    for t in (a, b):
        dist.all_reduce(t)
    for t in (a, b) if swapped else (b, a):
        dist.all_reduce(t)


def not_spoken_of(a, b, rank):
    for t in (a, b) if rank % 2 else (b, a):
        print(t)
        dist.barrier()

"""The same operations, in another order in each arm (P08)."""
import torch.distributed as dist


def exchange(a, b):
    if dist.get_rank() % 2:
        dist.all_reduce(a)  # error: [collective-order]
        dist.broadcast(b, src=0)
    else:
        dist.broadcast(b, src=0)
        dist.all_reduce(a)


def exchange_in_step(a, b):
    if dist.get_rank() % 2:
        a = a * 2
        dist.all_reduce(a)
        dist.broadcast(b, src=0)
    else:
        dist.all_reduce(a)
        dist.broadcast(b, src=0)


def operator(t):
    rank = dist.get_rank()
    dist.all_reduce(t, op=dist.ReduceOp.MAX if rank == 0 else dist.ReduceOp.SUM)  # error: [collective-order]


def operator_in_step(t, largest):
    dist.all_reduce(t, op=dist.ReduceOp.MAX if largest else dist.ReduceOp.SUM)


def lead_or_follow(plan, t):
    if dist.get_rank() == 0:
        dist.broadcast(t, src=0)  # error: [collective-order]
    else:
        dist.barrier()


def lead_or_follow_in_step(plan, t):
    if dist.get_rank() == 0:
        t.fill_(plan)
        dist.broadcast(t, src=0)
    else:
        dist.broadcast(t, src=0)

"""Roles that differ in data, not in calls; groups that share nobody: nothing to report (P08, P28, P33)."""
import torch
import torch.distributed as dist


def lead_or_follow(plan):
    if dist.get_rank() == 0:
        box = [plan]
        dist.broadcast_object_list(box, src=0)
        dist.barrier()
    else:
        box = [None]
        dist.broadcast_object_list(box, src=0)
        dist.barrier()
    return box[0]


def rows_then_columns(t, rows, columns):
    for group in (rows, columns):
        dist.all_reduce(t, group=group)


def collect(t):
    rank, world = dist.get_rank(), dist.get_world_size()
    parts = [torch.empty_like(t) for _ in range(world)] if rank == 0 else None
    dist.gather(t, gather_list=parts, dst=0)
    dist.barrier()
    return parts


def operator(t, mode):
    operators = {"sum": dist.ReduceOp.SUM, "max": dist.ReduceOp.MAX}
    dist.all_reduce(t, op=operators[mode])


def pipeline(t):
    rank = dist.get_rank()
    low = dist.new_group([0, 1])
    high = dist.new_group([2, 3])
    if rank in (0, 1):
        dist.all_reduce(t, group=low)
        dist.barrier(group=low)
    else:
        dist.barrier(group=high)
        dist.all_reduce(t, group=high)


def wait_in_any_order(a, b):
    handles = [dist.all_reduce(x, async_op=True) for x in (a, b)]
    if dist.get_rank() % 2:
        handles.reverse()
    for handle in handles:
        handle.wait()

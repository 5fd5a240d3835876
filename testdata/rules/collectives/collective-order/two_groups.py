"""Two groups that share members, in another order on half of the ranks (P28)."""
import torch.distributed as dist


def reduce_both(t):
    rank = dist.get_rank()
    rows = dist.new_group([0, 1, 2, 3])
    columns = dist.new_group([0, 1, 2, 3])
    for group in (rows, columns) if rank % 2 else (columns, rows):
        dist.all_reduce(t, group=group)  # error: [collective-order]


def reduce_both_in_step(t):
    rows = dist.new_group([0, 1, 2, 3])
    columns = dist.new_group([0, 1, 2, 3])
    for group in (rows, columns):
        dist.all_reduce(t, group=group)


def disjoint(t):
    low = dist.new_group([0, 1])
    high = dist.new_group([2, 3])
    if dist.get_rank() < 2:
        dist.all_reduce(t, group=low)
    else:
        dist.broadcast(t, src=2, group=high)

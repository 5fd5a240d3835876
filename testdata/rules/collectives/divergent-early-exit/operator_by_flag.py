"""Two ways to the same reduction, one of them for ranks that have nothing to add (P02)."""
import torch
import torch.distributed as dist


def norm(grads, kind):
    mine = grads[dist.get_rank() :: dist.get_world_size()]
    if len(mine) == 0:
        total = torch.tensor(0.0)
        op = dist.ReduceOp.MAX if kind == "inf" else dist.ReduceOp.SUM
        dist.all_reduce(total, op=op)
        return total
    if kind == "inf":
        total = torch.stack([grad.abs().max() for grad in mine]).max()
        dist.all_reduce(total, op=dist.ReduceOp.MAX)
    else:
        total = torch.stack([grad.norm() for grad in mine]).sum()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
    return total


def norm_of_some(grads, kind):
    mine = grads[dist.get_rank() :: dist.get_world_size()]
    if len(mine) == 0:
        return torch.tensor(0.0)
    total = torch.stack([grad.norm() for grad in mine]).sum()
    dist.all_reduce(total, op=dist.ReduceOp.SUM)  # error: [divergent-early-exit]
    return total


def norm_written_twice(grads):
    mine = grads[dist.get_rank() :: dist.get_world_size()]
    if len(mine) == 0:
        total = torch.tensor(0.0)
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        return total
    total = torch.stack([grad.norm() for grad in mine]).sum()
    dist.all_reduce(total, op=dist.ReduceOp.SUM)
    return total

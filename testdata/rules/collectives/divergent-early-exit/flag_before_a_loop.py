"""An answer that was given before a loop holds in each of its turns (P07)."""
import torch
import torch.distributed as dist


def evaluate(args, loader):
    sharded = args.sharded
    first = dist.get_rank() == 0
    if not sharded and not first:
        return
    more = torch.ones(1)
    while True:
        if sharded:
            if first:
                more.fill_(next(loader))
            dist.broadcast(more, src=0)
            if more.item() == 0:
                break
        else:
            if next(loader) is None:
                break


def evaluate_otherwise(args, loader):
    first = dist.get_rank() == 0
    if not args.sharded and not first:
        return
    more = torch.ones(1)
    while True:
        if args.distributed:
            dist.broadcast(more, src=0)  # error: [divergent-early-exit]
            if more.item() == 0:
                break

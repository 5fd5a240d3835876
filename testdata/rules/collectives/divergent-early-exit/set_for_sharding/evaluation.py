import torch
import torch.distributed as dist


def evaluate(model, batches, args):
    steps = torch.ones(1)
    if args.fsdp:
        dist.broadcast(steps, src=0)
    return steps


def evaluate_always(model, batches, args):
    steps = torch.ones(1)
    dist.broadcast(steps, src=0)
    return steps

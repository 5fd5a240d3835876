"""A pair of barriers inside a question for the first rank: nobody comes to one of them, a model is only looked at in between,
and the first rank waits in the other."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def evaluated(model, batches):
    with torch.no_grad():
        return [model(batch) for batch in batches]


def train(args, net, steps, batches):
    model = DDP(net)
    for step in range(steps):
        model(batches[0]).mean().backward()
        if args.local_rank in [-1, 0] and step % args.logging_steps == 0:
            if args.local_rank not in [-1, 0]:
                torch.distributed.barrier()  # low: [conditional-collective]
            print(evaluated(model, batches))
            if args.local_rank == 0:
                torch.distributed.barrier()  # error: [conditional-collective]


def one_after_the_other(args, read):
    if args.local_rank not in [-1, 0]:
        torch.distributed.barrier()
    data = read(args)
    if args.local_rank == 0:
        torch.distributed.barrier()
    return data

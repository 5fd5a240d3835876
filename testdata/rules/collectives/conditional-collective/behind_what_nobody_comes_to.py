"""A pair of barriers inside a question for the first rank: nobody comes to one of them, the first rank waits in the other."""

import torch


def logged(args, steps):
    for step in range(steps):
        if args.local_rank in [-1, 0] and step % args.logging_steps == 0:
            if args.local_rank not in [-1, 0]:
                torch.distributed.barrier()
            print(step)
            if args.local_rank == 0:
                torch.distributed.barrier()  # error: [conditional-collective]


def one_after_the_other(args, read):
    if args.local_rank not in [-1, 0]:
        torch.distributed.barrier()
    data = read(args)
    if args.local_rank == 0:
        torch.distributed.barrier()
    return data

"""Whether there is a rank at all is the same in every process of a job, by whatever way it came to its number."""
import os

import torch.distributed as dist


class Arguments:
    def __init__(self, launched, given):
        self.local_rank = int(os.environ["LOCAL_RANK"]) if launched(os.getpid()) else given


def save(args: Arguments, x):
    if args.local_rank != -1:
        dist.all_reduce(x)


def save_alone(args: Arguments, x):
    if args.local_rank == 0:
        dist.all_reduce(x)  # low: [conditional-collective]

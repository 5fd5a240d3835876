"""Whether the job was joined, for reasons that are looked for one after the other: in a job of several ranks it was."""
import os

import torch
import torch.distributed as dist


def is_joined():
    if not dist.is_available():
        return False
    if not dist.is_initialized():
        return False
    for key in ["RANK", "LOCAL_RANK", "WORLD_SIZE"]:
        if key not in os.environ:
            return False
    return True


class Trainer:
    def __init__(self, rank, request):
        self.rank = rank
        self.request = request

    def asked_to_stop(self):
        asked = self.rank == 0 and self.request.is_file()
        if is_joined():
            vote = torch.tensor([int(asked)])
            dist.all_reduce(vote, op=dist.ReduceOp.MAX)
            asked = bool(vote.item())
        return asked

    def train(self, batches):
        for batch in batches:
            if self.asked_to_stop():
                return
            dist.all_reduce(batch)


def is_first():
    """Of several ranks the first one alone gets to the end."""
    if dist.is_initialized() and dist.get_rank() != 0:
        return False
    for key in ["RANK", "SLURM_PROCID"]:
        if os.environ.get(key, "0") != "0":
            return False
    return True


def report(loss):
    if is_first():
        dist.all_reduce(loss)  # error: [conditional-collective]


def is_first_by_number():
    """The same, by what the environment holds alone."""
    if not dist.is_initialized():
        return False
    for key in ["RANK", "SLURM_PROCID"]:
        if os.environ.get(key, "0") != "0":
            return False
    return True


rank = int(os.environ["RANK"])


def is_first_by_truth():
    """The same again, by a number that is not zero."""
    if not dist.is_initialized() or rank:
        return False
    for key in ["RANK", "LOCAL_RANK", "WORLD_SIZE"]:
        if key not in os.environ:
            return False
    return True


def report_by_number(loss):
    if is_first_by_number():
        dist.all_reduce(loss)  # error: [conditional-collective]


def report_by_truth(loss):
    if is_first_by_truth():
        dist.all_reduce(loss)  # error: [conditional-collective]

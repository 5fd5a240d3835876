"""Files without a word of the trade between those that have some: what they ask and answer counts all the same."""
import clock
import torch.distributed as dist
from from_below import clock as other
from steps import step, step_of_all


def train(tensor):
    step(dist.get_rank(), tensor)  # error: [conditional-collective]
    step_of_all(dist.get_rank(), tensor)


def until_late(tensor):
    if clock.is_late():
        dist.barrier()  # error: [conditional-collective]


def until_later(tensor):
    late = other.is_late()
    if late:
        dist.barrier()  # low: [conditional-collective]


def until_over(tensor):
    limit = clock.Limit()
    if limit.is_over():
        dist.barrier()  # error: [conditional-collective]

"""Functions that no one names any more, though another file has one of that name."""
import torch.distributed as dist


def share_total(total):
    if dist.get_rank() == 0 and is_shared(total):
        return
    dist.all_reduce(total)  # low: [divergent-early-exit]


def share_count(count):
    if dist.get_rank() == 0 and is_shared(count):
        return
    dist.all_reduce(count)  # error: [divergent-early-exit]


def is_shared(number):
    return number > 1

"""Functions that no one names any more, though another file has one of that name."""
import torch.distributed as dist


def share_total(total):
    if dist.get_rank() == 0:
        return
    dist.all_reduce(total)  # low: [divergent-early-exit]


def share_count(count):
    if dist.get_rank() == 0:
        return
    dist.all_reduce(count)  # error: [divergent-early-exit]

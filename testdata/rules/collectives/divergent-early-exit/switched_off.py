"""What a condition switches off for good, nobody comes to."""

import torch.distributed as dist


def retried(loss, rank):
    crashed = False
    if rank == 0 and loss.sum() > 3:
        crashed = True
    if crashed and False:
        loss.zero_()
        raise RuntimeError("no checkpoint")
    dist.all_reduce(loss)


def still_on(loss, rank):
    crashed = False
    if rank == 0 and loss.sum() > 3:
        crashed = True
    if crashed and not False:
        loss.zero_()
        raise RuntimeError("crashed")  # error: [divergent-early-exit]
    dist.all_reduce(loss)


def always(loss, rank):
    if rank == 0 or True:
        dist.all_reduce(loss)


def on_one(loss, rank):
    if rank == 0 or False:
        dist.all_reduce(loss)  # error: [conditional-collective]

"""Whether something is there does not depend on what one rank puts into it."""

import torch.distributed as dist


def evaluate(x):
    dist.broadcast(x, 0)


def snapshot(rank, x, tick, every, best):
    data = None
    if tick % every == 0:
        data = dict(best=best)
    if rank == 0 and tick % every == 0:
        data["progress"] = {"tick": tick}
    if data is not None:
        evaluate(x)


def made_elsewhere(rank, x, tick, make):
    data = make(tick)
    if rank == 0:
        data["progress"] = {"tick": tick}
        data[tick] = x
    if data is not None:
        evaluate(x)


def of_one_rank(rank, x, tick, best):
    data = None
    if rank == 0:
        data = dict(best=best)
        data["progress"] = {"tick": tick}
    if data is not None:
        evaluate(x)  # error: [conditional-collective]


def filled_on_one(rank, x, tick):
    data = {}
    if rank == 0:
        data["progress"] = {"tick": tick}
    if data:
        evaluate(x)  # error: [conditional-collective]

"""What this process alone knows, and an operation some calls away: the further, the less says that both belong together (P02)."""
import queue

import torch.distributed as dist

pending = queue.Queue()


def synchronise():
    dist.barrier()


def save(model):
    synchronise()
    return model


def close(model):
    return save(model)


def two_calls_away(model):
    if pending.empty():
        return None
    return save(model)  # error: [divergent-early-exit]


def three_calls_away(model):
    if pending.empty():
        return None
    return close(model)  # low: [divergent-early-exit]

"""What one rank builds and the others replace is there on all of them, though nobody knows of what is built."""
import torch.distributed as dist


class Stand:
    def __init__(self, length):
        self.length = length


def in_two_questions(provider):
    loader = None
    if dist.get_rank() == 0:
        loader = provider.build()
    if dist.get_rank() != 0:
        loader = Stand(3)
    if loader is not None:
        dist.barrier()  # low: [conditional-collective]


def the_others_first(provider):
    loader = None
    if dist.get_rank() != 0:
        loader = Stand(3)
    if dist.get_rank() == 0:
        loader = provider.build()
    if loader is not None:
        dist.barrier()  # low: [conditional-collective]


def in_two_arms(provider, asked):
    if dist.get_rank() == 0:
        found = provider.build()
    else:
        found = Stand(3)
    if found is None:
        return
    dist.barrier()  # low: [divergent-early-exit]


def on_one(provider):
    loader = None
    if dist.get_rank() == 0:
        loader = provider.build()
    if loader is not None:
        dist.barrier()  # error: [conditional-collective]


def on_the_others(provider):
    loader = provider.build()
    if dist.get_rank() != 0:
        loader = None
    if loader is None:
        dist.barrier()  # error: [conditional-collective]

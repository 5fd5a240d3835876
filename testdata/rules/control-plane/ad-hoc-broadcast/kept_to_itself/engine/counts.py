"""A matched broadcast in another module, which owes nothing to anybody's manifest."""
import torch.distributed as dist


def agree(count):
    dist.broadcast(count, src=0)
    return count

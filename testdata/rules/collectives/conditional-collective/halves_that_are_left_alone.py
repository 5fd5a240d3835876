"""Two functions that each hold half of a barrier, of which somebody calls one alone."""
import torch.distributed as dist


def others_wait():
    if dist.get_rank() != 0:
        dist.barrier()  # error: [conditional-collective]


def first_has_come():
    if dist.get_rank() == 0:
        dist.barrier()  # error: [conditional-collective]


def prepared(cache, build):
    others_wait()
    if not cache.ready:
        build(cache)
    first_has_come()
    return cache


def prepared_by_half(cache, build):
    others_wait()
    if not cache.ready:
        build(cache)
    return cache

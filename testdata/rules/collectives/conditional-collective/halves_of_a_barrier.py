"""Two functions that each hold half of a barrier: whoever calls both has a whole one."""
import torch.distributed as dist


def others_wait():
    if dist.get_rank() != 0:
        dist.barrier()


def first_has_come():
    if dist.get_rank() == 0:
        dist.barrier()


def last_has_come():
    if dist.get_rank() == dist.get_world_size() - 1:
        dist.all_reduce(None)  # error: [conditional-collective]


def prepared(cache, build):
    others_wait()
    if not cache.ready:
        build(cache)
    first_has_come()
    return cache

import torch.distributed as dist


def is_dist():
    return dist.is_available() and dist.is_initialized()


def get_rank():
    if not is_dist():
        return 0
    return dist.get_rank()


def get_world_size():
    if not is_dist():
        return 1
    return dist.get_world_size()


def synchronize():
    if get_world_size() < 2:
        return
    dist.barrier()

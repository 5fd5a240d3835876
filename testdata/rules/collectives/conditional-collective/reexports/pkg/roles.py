import torch.distributed as dist


def is_leader():
    if not dist.is_initialized():
        return True
    return dist.get_rank() == 0


def on_leader(function):
    return function() if is_leader() else None

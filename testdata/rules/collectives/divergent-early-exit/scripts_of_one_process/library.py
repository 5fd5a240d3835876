"""What asks its peers where there are any."""

import torch.distributed as dist


def plan(model):
    choice = [model.name]
    if dist.is_available() and dist.is_initialized():
        dist.broadcast_object_list(choice, src=0)
    return choice[0]

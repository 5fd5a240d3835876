"""Without an envelope there is nothing to go past."""
import torch.distributed as dist


def share(weights, tensor_specs):
    for weight in weights:
        dist.broadcast(weight, src=0)
    return tensor_specs

"""A filter that asks for the rank in a helper (P04)."""
import torch.distributed as dist
from megatron.core import parallel_state


class Place:
    def __init__(self, tp_rank):
        self.tp_rank = tp_rank


def counted(param, place):
    return getattr(param, "sharded", False) or place.tp_rank == 0


def zeros(params, place):
    kept = [param.grad for param in params if param.grad is not None and counted(param, place)]
    if not kept:
        return 0
    found = sum((grad == 0).sum() for grad in kept)
    dist.all_reduce(found, group=parallel_state.get_model_parallel_group())  # error: [divergent-early-exit]
    return found


def zeros_of_replicas(params, place):
    # Along the replicas everybody answers alike.
    kept = [param.grad for param in params if param.grad is not None and counted(param, place)]
    if not kept:
        return 0
    found = sum((grad == 0).sum() for grad in kept)
    dist.all_reduce(found, group=parallel_state.get_data_parallel_group())
    return found

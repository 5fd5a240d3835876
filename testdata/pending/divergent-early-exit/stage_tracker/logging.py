"""Reduces what the layers recorded."""
import torch
import torch.distributed as dist

from layers import TRACKER
from megatron.core import parallel_state


def reduce_aux_losses():
    if "load_balancing" not in TRACKER:
        return
    values = TRACKER["load_balancing"]
    dist.all_reduce(values, group=parallel_state.get_pipeline_model_parallel_group())  # error: [divergent-early-exit]


def reduce_aux_losses_in_step():
    TRACKER.setdefault("load_balancing", torch.zeros(4))
    values = TRACKER["load_balancing"]
    dist.all_reduce(values, group=parallel_state.get_pipeline_model_parallel_group())

"""A literal root in groups that were chosen so that it is in one of them (OM-08)."""
import torch.distributed as dist
from megatron.core import parallel_state


def first_group_only(result):
    if parallel_state.get_data_parallel_src_rank() == 0:
        parts = [None] * parallel_state.get_data_parallel_world_size()
        dist.gather_object(result, parts, dst=0, group=parallel_state.get_data_parallel_group())  # low: [wrong-root]


def first_of_tp(result):
    if parallel_state.get_tensor_model_parallel_rank() == 0:
        dist.broadcast(result, src=0, group=parallel_state.get_data_parallel_group())  # low: [wrong-root]


def last_stage(result):
    if parallel_state.is_pipeline_last_stage():
        dist.broadcast(result, src=0, group=parallel_state.get_data_parallel_group())  # error: [wrong-root]


def any_group(result):
    dist.broadcast(result, src=0, group=parallel_state.get_data_parallel_group())  # error: [wrong-root]

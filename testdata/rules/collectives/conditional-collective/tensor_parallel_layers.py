"""Layers in Megatron's style: guards on axes, and collectives on their groups (P18, P26)."""
import torch
import torch.distributed as dist
from megatron.core.parallel_state import (
    get_data_parallel_group,
    get_data_parallel_rank,
    get_tensor_model_parallel_group,
    get_tensor_model_parallel_rank,
    get_tensor_model_parallel_world_size,
    is_pipeline_first_stage,
    is_pipeline_last_stage,
)


def reduce_output(t):
    if get_tensor_model_parallel_world_size() == 1:
        return t
    dist.all_reduce(t, group=get_tensor_model_parallel_group())
    return t


def bias_on_first(t, bias):
    if get_tensor_model_parallel_rank() == 0:
        t = t + bias
    dist.all_reduce(t, group=get_tensor_model_parallel_group())
    return t


def vote_on_first(flag):
    if get_tensor_model_parallel_rank() == 0:
        dist.all_reduce(flag, group=get_tensor_model_parallel_group())  # error: [conditional-collective]
    return flag


def embedding(tokens):
    if is_pipeline_first_stage():
        dist.all_reduce(tokens, group=get_tensor_model_parallel_group())
    return tokens


def sanitised_elsewhere(flag, t):
    local = torch.tensor([get_data_parallel_rank()])
    dist.all_reduce(local, group=get_tensor_model_parallel_group())
    if local.item() > 0:
        dist.all_reduce(t, group=get_data_parallel_group())  # error: [conditional-collective]


def sanitised_here(flag, t):
    local = torch.tensor([get_data_parallel_rank()])
    dist.all_reduce(local, group=get_data_parallel_group())
    if local.item() > 0:
        dist.all_reduce(t, group=get_data_parallel_group())


def last_stage_loss(losses):
    if is_pipeline_last_stage():
        loss = torch.stack(losses).mean()
        dist.all_reduce(loss, group=get_data_parallel_group())
        return loss
    return None

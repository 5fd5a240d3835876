"""Only one stage gets here, and the collective is everybody's (P26)."""
import torch
import torch.distributed as dist
from megatron.core import mpu, parallel_state


def average_loss(loss):
    if parallel_state.is_pipeline_last_stage():
        dist.all_reduce(loss)  # error: [wrong-group]
    return loss


def average_loss_in_step(loss):
    if parallel_state.is_pipeline_last_stage():
        dist.all_reduce(loss, group=parallel_state.get_data_parallel_group())
    return loss


def tie_embeddings(grad):
    if mpu.is_rank_in_embedding_group():
        dist.all_reduce(grad, group=mpu.get_embedding_group())


def log_norm(norm):
    if parallel_state.get_tensor_model_parallel_rank() == 0:
        dist.all_reduce(norm, group=parallel_state.get_data_parallel_group())
        if parallel_state.get_data_parallel_rank() == 0:
            print(norm.item())


def first_stage_barrier():
    if parallel_state.get_pipeline_model_parallel_rank() == 0:
        dist.barrier()  # error: [wrong-group]


def first_stage_barrier_in_step():
    if parallel_state.get_pipeline_model_parallel_rank() == 0:
        dist.barrier(group=parallel_state.get_tensor_model_parallel_group())

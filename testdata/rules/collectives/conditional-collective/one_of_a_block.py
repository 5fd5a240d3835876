"""Ranks of one tensor-parallel group lie in one block of as many ranks as a replica has."""
import torch.distributed as dist
from megatron.core import parallel_state as ps


def spread(tensor, src, size):
    if size > 1 and ps.get_tensor_model_parallel_src_rank() == src:
        dist.broadcast(tensor, src=src, group=ps.get_tensor_model_parallel_group())


def broadcast_tensor(tensor):
    tp = ps.get_tensor_model_parallel_world_size()
    dp = ps.get_data_parallel_world_size()
    rank = dist.get_rank()
    spread(tensor, (rank // (tp * dp)) * dp * tp, tp)  # low: [conditional-collective]


def broadcast_by_rank(tensor):
    tp = ps.get_tensor_model_parallel_world_size()
    if dist.get_rank() % tp == 0:
        src = ps.get_tensor_model_parallel_src_rank()
        dist.broadcast(tensor, src=src, group=ps.get_tensor_model_parallel_group())  # error: [conditional-collective]

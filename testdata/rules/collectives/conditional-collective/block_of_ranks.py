"""A block of ranks that holds whole tensor-parallel groups: all members of one are in it, or none."""

import torch.distributed as dist
from megatron.core import parallel_state


def share(tensor):
    tp = parallel_state.get_tensor_model_parallel_world_size()
    dp = parallel_state.get_data_parallel_world_size()
    src = (dist.get_rank() // (tp * dp)) * dp * tp
    if tp > 1 and parallel_state.get_tensor_model_parallel_src_rank() == src:
        first = parallel_state.get_tensor_model_parallel_src_rank()
        dist.broadcast(tensor, src=first, group=parallel_state.get_tensor_model_parallel_group())


def share_with_neighbours(tensor):
    tp = parallel_state.get_tensor_model_parallel_world_size()
    if dist.get_rank() % tp < tp // 2:
        group = parallel_state.get_tensor_model_parallel_group()
        dist.all_reduce(tensor, group=group)  # error: [conditional-collective]

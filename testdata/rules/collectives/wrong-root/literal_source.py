"""`src` counts the ranks of the job (P23)."""
import torch.distributed as dist
from megatron.core import parallel_state


def share(t):
    group = dist.new_group([2, 3])
    if dist.get_rank() in (2, 3):
        dist.broadcast(t, src=0, group=group)  # error: [wrong-root]


def share_in_step(t):
    group = dist.new_group([2, 3])
    if dist.get_rank() in (2, 3):
        dist.broadcast(t, src=2, group=group)


def share_group_relative(t):
    group = dist.new_group([2, 3])
    if dist.get_rank() in (2, 3):
        dist.broadcast(t, group_src=0, group=group)


def share_translated(t, group):
    dist.broadcast(t, src=dist.get_global_rank(group, 0), group=group)


def tensor_parallel(t):
    dist.broadcast(t, src=0, group=parallel_state.get_tensor_model_parallel_group())  # error: [wrong-root]


def tensor_parallel_in_step(t):
    source = parallel_state.get_tensor_model_parallel_src_rank()
    dist.broadcast(t, src=source, group=parallel_state.get_tensor_model_parallel_group())


def everybody(t):
    dist.broadcast(t, src=0)
    dist.broadcast(t, 0, group=dist.group.WORLD)


def from_group_rank(t):
    group = parallel_state.get_data_parallel_group()
    rank = dist.get_rank(group)
    dist.broadcast(t, src=rank, group=group)  # error: [wrong-root]

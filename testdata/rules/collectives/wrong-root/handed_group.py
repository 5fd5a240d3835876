"""A group that a caller hands down may as well hold rank 0 (P23)."""
import torch.distributed as dist
from megatron.core import parallel_state


def share(t, group=None):
    dist.broadcast(t, src=0, group=group)


def share_along(t, data_parallel_group=None):
    dist.broadcast(t, src=0, group=data_parallel_group)  # low: [wrong-root]


def share_made(t):
    group = dist.new_group([1, 3])
    if dist.get_rank() in (1, 3):
        dist.broadcast(t, src=0, group=group)  # error: [wrong-root]


def share_an_axis(t):
    dist.broadcast(t, src=0, group=parallel_state.get_data_parallel_group())  # error: [wrong-root]

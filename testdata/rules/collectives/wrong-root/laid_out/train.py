import torch.distributed as dist
from megatron.core import parallel_state


def gradients(t):
    dist.broadcast(t, src=0, group=parallel_state.get_data_parallel_group())  # error: [wrong-root]

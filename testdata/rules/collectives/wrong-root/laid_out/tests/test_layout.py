"""A test lays out its own job: its groups hold the root, as far as anybody can tell (P23)."""
import torch.distributed as dist
from megatron.core import parallel_state


def test_gradients(t):
    parallel_state.initialize_model_parallel(1, 1)
    dist.broadcast(t, src=0, group=parallel_state.get_data_parallel_group())  # low: [wrong-root]


def test_pair(t):
    group = dist.new_group([2, 3])
    if dist.get_rank() in (2, 3):
        dist.broadcast(t, src=0, group=group)  # error: [wrong-root]

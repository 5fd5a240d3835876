"""A root that a function sets, and one that stays what it was."""
import torch.distributed as dist
from megatron.core import parallel_state

_ROOT = 0
_FIRST = 0


def setup(root):
    global _ROOT
    _ROOT = root


def send(t):
    dist.broadcast(t, src=_ROOT, group=parallel_state.get_tensor_model_parallel_group())


def send_from_the_first(t):
    dist.broadcast(t, src=_FIRST, group=parallel_state.get_tensor_model_parallel_group())  # error: [wrong-root]

"""Groups that are all made at the first message, behind a question whether they are there (P37)."""
import torch.distributed as dist
from megatron.core import parallel_state

_PAIRS = {}


def make_pairs():
    for first in range(dist.get_world_size() - 1):
        _PAIRS[(first, first + 1)] = dist.new_group([first, first + 1])


def pair_of(first, second):
    if len(_PAIRS) == 0:
        make_pairs()
    return _PAIRS[(first, second)]


def send_forward(t, first, second):
    if not parallel_state.is_pipeline_last_stage():
        dist.broadcast(t, src=first, group=pair_of(first, second))  # low: [conditional-group-creation]


def make_without_a_question(t):
    if dist.get_rank() == 0:
        make_pairs()  # error: [conditional-group-creation]
    return t

"""The state of a model is its own until it is sharded."""
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard


def taken_before(model):
    state = {}
    if dist.get_rank() == 0:
        state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))  # low: [conditional-collective]
    fully_shard(model)
    return state


def taken_afterwards(model):
    state = {}
    fully_shard(model)
    if dist.get_rank() == 0:
        state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))  # error: [conditional-collective]
    return state

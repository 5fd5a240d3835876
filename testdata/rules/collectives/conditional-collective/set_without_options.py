"""A state dict that is set without a word is this rank's own shards; with options the ranks share what one has read."""
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard


def load(model, state):
    fully_shard(model)
    if dist.get_rank() == 0:
        set_model_state_dict(model, state)


def load_from_the_first(model, state):
    fully_shard(model)
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    if dist.get_rank() == 0:
        set_model_state_dict(model, state, options=options)  # error: [conditional-collective]

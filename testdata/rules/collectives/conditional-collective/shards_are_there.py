"""A state dict of shards is empty on every rank or on none; what is in it differs."""
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType


def restore(network):
    model = FSDP(network)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        state = model.state_dict()
        if state:
            dist.barrier()  # low: [conditional-collective]


def restore_the_model(network):
    model = FSDP(network)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        whole = {"model": model.state_dict(), "step": 0}
        state = whole.pop("model", None)
        if state:
            dist.barrier()  # low: [conditional-collective]


def restore_by_what_is_in_it(network):
    model = FSDP(network)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        state = model.state_dict()
        if state["step"] > 0:
            dist.all_reduce(state["step"])  # error: [conditional-collective]

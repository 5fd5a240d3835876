"""A whole state dict may be left empty on all ranks but the first."""
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def save(network):
    model = FSDP(network)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
        state = model.state_dict()
        if state:
            dist.barrier()  # error: [conditional-collective]


def save_either(network, whole):
    model = FSDP(network)
    kind = StateDictType.FULL_STATE_DICT if whole else StateDictType.SHARDED_STATE_DICT
    with FSDP.state_dict_type(model, kind, FullStateDictConfig(rank0_only=True)):
        state = model.state_dict()
        if state:
            dist.barrier()  # error: [conditional-collective]

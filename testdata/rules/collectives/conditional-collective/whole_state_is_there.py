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

"""The full state dict of a model wrapped here is gathered (P45b)."""
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, StateDictType
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict


def save(model, path):
    model = FSDP(model)
    if dist.get_rank() == 0:
        state = model.state_dict()  # error: [conditional-collective]
        torch.save(state, path)


def save_in_step(model, path):
    model = FSDP(model)
    policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy):
        state = model.state_dict()
    if dist.get_rank() == 0:
        torch.save(state, path)
    dist.barrier()

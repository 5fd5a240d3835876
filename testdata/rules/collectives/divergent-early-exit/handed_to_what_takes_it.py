"""A model is sharded where it is handed to what only sharded models take (P22)."""
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def save(model, path):
    if dist.get_rank() != 0:
        return
    policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy):
        torch.save(model.state_dict(), path)  # error: [divergent-early-exit]


def save_in_step(model, path):
    policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy):
        state = model.state_dict()
    if dist.get_rank() == 0:
        torch.save(state, path)


def save_what_is_whole(model, path):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), path)

"""FSDP: the full state dict is gathered, so every rank asks for it and one writes it (P45b, P46)."""
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, StateDictType
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict


def save_sharded(model, path):
    if dist.get_rank() == 0:
        dcp.save({"model": model.state_dict()}, checkpoint_id=path)  # error: [conditional-collective]


def save_sharded_in_step(model, path):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    state = get_model_state_dict(model, options=options)
    dcp.save({"model": state}, checkpoint_id=path)
    if dist.get_rank() == 0:
        print("saved", path)


def export(model, path):
    if dist.get_rank() == 0:
        state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))  # error: [conditional-collective]
        torch.save(state, path)

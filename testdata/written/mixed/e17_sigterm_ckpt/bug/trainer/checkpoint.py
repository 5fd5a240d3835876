import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardedStateDictConfig, StateDictType


def rank_file(folder):
    return os.path.join(folder, f"rank{dist.get_rank():05d}.pt")


def save_sharded(folder, model, optim, step):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    dist.barrier()
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT, ShardedStateDictConfig(offload_to_cpu=True)):
        state = {"model": model.state_dict(), "optim": FSDP.optim_state_dict(model, optim), "step": step}
    torch.save(state, rank_file(folder))
    dist.barrier()
    if dist.get_rank() == 0:
        with open(os.path.join(os.path.dirname(folder), "latest.tmp"), "w") as f:
            f.write(os.path.basename(folder))
        os.replace(f.name, os.path.join(os.path.dirname(folder), "latest"))


def load_sharded(root, model, optim):
    name = [None]
    if dist.get_rank() == 0:
        try:
            with open(os.path.join(root, "latest")) as f:
                name[0] = f.read().strip()
        except FileNotFoundError:
            pass
    dist.broadcast_object_list(name, src=0)
    if name[0] is None:
        return 0
    state = torch.load(rank_file(os.path.join(root, name[0])), weights_only=False)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT, ShardedStateDictConfig(offload_to_cpu=True)):
        model.load_state_dict(state["model"])
        optim.load_state_dict(FSDP.optim_state_dict_to_load(model, optim, state["optim"]))
    return state["step"]

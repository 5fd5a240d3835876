"""Saves and restores a training run. Two mistakes that pass every test on one machine and hang on two."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def restore(model: torch.nn.Module, folder: str) -> int:
    """Loads the newest checkpoint, if there is one; `folder` may be a local disk on some nodes."""
    if not os.path.exists(os.path.join(folder, "latest")):
        return 0
    state = {"model": model.state_dict(), "step": 0}
    dcp.load(state, checkpoint_id=folder)
    return state["step"]


def save(model: torch.nn.Module, folder: str, step: int) -> None:
    """Saves from every rank, then names the checkpoint from one."""
    dcp.save({"model": model.state_dict(), "step": step}, checkpoint_id=folder)
    if dist.get_rank() == 0:
        with open(os.path.join(folder, "latest"), "w") as file:
            file.write(str(step))
        dist.barrier()


def validate(model: torch.nn.Module, batches: list[torch.Tensor]) -> float:
    """The same loss on every rank: whatever a rank has seen, all take part in the sum."""
    total = torch.zeros(2)
    for batch in batches[dist.get_rank() :: dist.get_world_size()]:
        total += torch.tensor([float(model(batch)), 1.0])
    dist.all_reduce(total)
    return float(total[0] / total[1])

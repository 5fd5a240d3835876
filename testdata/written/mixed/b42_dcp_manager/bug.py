"""Checkpoint manager built on torch.distributed.checkpoint."""
import os

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict


class CheckpointManager:
    def __init__(self, model, optimizer, shared_dir, nvme_dir):
        self.model = model
        self.optimizer = optimizer
        self.shared_dir = shared_dir
        self.nvme_dir = nvme_dir
        self.rank = dist.get_rank()

    def _collect(self):
        model_state, optim_state = get_state_dict(self.model, self.optimizer)
        return {"model": model_state, "optim": optim_state}

    def _apply(self, state):
        set_state_dict(
            self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optim"]
        )

    def save(self, step):
        dcp.save(self._collect(), checkpoint_id=os.path.join(self.shared_dir, f"step_{step}"))
        if self.rank == 0:
            print(f"step {step} saved")

    def save_final(self, step):
        state = self._collect()
        if self.rank == 0:
            dcp.save(state, checkpoint_id=os.path.join(self.shared_dir, f"final_{step}"))  # BUG 1
        dist.barrier()

    def resume(self, name):
        path = os.path.join(self.shared_dir, name)
        box = [os.path.isdir(path) if self.rank == 0 else None]
        dist.broadcast_object_list(box, src=0)
        if box[0]:
            state = self._collect()
            dcp.load(state, checkpoint_id=path)
            self._apply(state)
        return box[0]

    def resume_from_nvme(self, name):
        path = os.path.join(self.nvme_dir, name)
        if not os.path.isdir(path):
            return False
        state = self._collect()
        dcp.load(state, checkpoint_id=path)  # BUG 2
        self._apply(state)
        return True

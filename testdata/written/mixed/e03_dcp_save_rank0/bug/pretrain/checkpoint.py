import os
import re
import shutil

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_state_dict,
)
from torch.distributed.checkpoint.stateful import Stateful


class AppState(Stateful):
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.step = 0

    def state_dict(self):
        model_sd, optim_sd = get_state_dict(self.model, self.optimizer)
        return {"model": model_sd, "optim": optim_sd, "step": self.step}

    def load_state_dict(self, sd):
        set_state_dict(self.model, self.optimizer,
                       model_state_dict=sd["model"], optim_state_dict=sd["optim"])
        self.step = sd["step"]


class CheckpointManager:
    def __init__(self, cfg, app: AppState):
        self.cfg = cfg
        self.app = app
        self.rank = dist.get_rank()
        if self.rank == 0:
            os.makedirs(cfg.folder, exist_ok=True)
        dist.barrier()

    def _path(self, step):
        return os.path.join(self.cfg.folder, f"step-{step}")

    def latest(self):
        """Newest complete step, the same on all ranks."""
        found = [-1]
        if self.rank == 0:
            for name in os.listdir(self.cfg.folder):
                m = re.fullmatch(r"step-(\d+)", name)
                if m and os.path.isfile(os.path.join(self.cfg.folder, name, ".metadata")):
                    found.append(int(m.group(1)))
        box = [max(found)]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def load(self):
        step = self.latest()
        if step < 0:
            return False
        dcp.load({"app": self.app}, checkpoint_id=self._path(step))
        return True

    def save(self, step, force=False):
        if not force and step % self.cfg.interval != 0:
            return
        self.app.step = step
        if self.rank == 0:  # BUG 1
            dcp.save({"app": self.app}, checkpoint_id=self._path(step))  # BUG 1
            self._purge()
        dist.barrier()

    def _purge(self):
        steps = sorted(int(n.split("-")[1]) for n in os.listdir(self.cfg.folder) if n.startswith("step-"))
        for s in steps[: -self.cfg.keep_latest_k]:
            shutil.rmtree(self._path(s), ignore_errors=True)

    def export(self):
        opts = StateDictOptions(full_state_dict=True, cpu_offload=True)
        sd = get_model_state_dict(self.app.model, options=opts)
        if self.rank == 0:
            torch.save(sd, os.path.join(self.cfg.folder, "model_final.pt"))
        dist.barrier()

"""Checkpoint export for an FSDP-wrapped language model."""
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class FSDPCheckpointer:
    def __init__(self, model, optimizer, out_dir):
        self.model = model
        self.optimizer = optimizer
        self.out_dir = out_dir
        self.policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        os.makedirs(out_dir, exist_ok=True)

    @property
    def is_main(self):
        return dist.get_rank() == 0

    def save_full(self, step):
        with FSDP.state_dict_type(self.model, StateDictType.FULL_STATE_DICT, self.policy):
            state = self.model.state_dict()
        if self.is_main:
            torch.save(state, os.path.join(self.out_dir, f"model_{step}.pt"))
        dist.barrier()

    def export_half(self, step):
        if not self.is_main:
            return
        with FSDP.state_dict_type(self.model, StateDictType.FULL_STATE_DICT, self.policy):
            state = self.model.state_dict()  # BUG 1
        half = {k: v.half() for k, v in state.items()}
        torch.save(half, os.path.join(self.out_dir, f"half_{step}.pt"))

    def save_optimizer(self, step):
        if self.is_main:
            state = FSDP.optim_state_dict(self.model, self.optimizer)  # BUG 2
            torch.save(state, os.path.join(self.out_dir, f"optim_{step}.pt"))
        dist.barrier()

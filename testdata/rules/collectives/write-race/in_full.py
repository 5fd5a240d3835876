"""The state of a model that is divided among ranks is gathered by all of them: one of them is to write it."""
import torch
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, StateDictType


class Saver:
    def save(self, model: FSDP):
        policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy):
            state = model.state_dict()
        torch.save(state, self.path)  # error: [write-race]

    def save_by_first(self, model: FSDP, rank):
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
            state = model.state_dict()
        if rank == 0:
            torch.save(state, self.path)

    def save_plain(self, model: FSDP):
        torch.save(model.state_dict(), self.path)

    def save_index(self, model: FSDP, names):
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
            model.state_dict()
        (self.path / "index.txt").open("w").writelines(names)  # low: [write-race]

    def open_others(self, model: FSDP):
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
            model.state_dict()
        self.path.open("r")
        self.shop.open("wednesday")

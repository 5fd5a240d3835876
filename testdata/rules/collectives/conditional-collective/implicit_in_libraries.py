"""Implicit collectives and rank-local settings that the tables lack (P41, P42, P45b)."""
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from transformers import Trainer


class SavingTrainer(Trainer):
    def finish(self):
        if self.args.should_save:
            self.accelerator.wait_for_everyone()  # error: [conditional-collective]

    def finish_in_step(self):
        if self.args.should_save:
            print("saving")
        self.accelerator.wait_for_everyone()


def sample(model, batch):
    fully_shard(model)
    if dist.get_rank() == 0:
        model(batch)  # error: [conditional-collective]


def sample_in_step(model, batch):
    fully_shard(model)
    out = model(batch)
    if dist.get_rank() == 0:
        print(out)

import torch.distributed as dist

from base import BaseTrainer



class CallsParent(BaseTrainer):
    def on_save(self, path):
        return None

    def save(self, path):
        if self.is_main:
            super().save(path)  # error: [conditional-collective]


class Saves(BaseTrainer):
    """`save` of the base calls the `on_save` below, not the abstract one."""

    def on_save(self, path):
        dist.barrier()

    def run(self, path):
        if self.is_main:
            self.save(path)  # error: [conditional-collective]

    def run_in_step(self, path):
        self.save(path)

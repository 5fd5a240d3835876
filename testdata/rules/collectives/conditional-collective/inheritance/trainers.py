import torch

from base import BaseTrainer


class GuardedTrainer(BaseTrainer):
    def on_save(self, path):
        if self.is_main:
            torch.save({}, path)
            self.fence()  # error: [conditional-collective]


class CarefulTrainer(BaseTrainer):
    def on_save(self, path):
        if self.is_main:
            torch.save({}, path)

    def save(self, path):
        super().save(path)
        if self.is_main:
            print("saved", path)

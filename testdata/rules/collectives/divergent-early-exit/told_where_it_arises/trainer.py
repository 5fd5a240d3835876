import torch
from accelerate import Accelerator


class Trainer:
    def __init__(self, model, every=100):
        self.accelerator = Accelerator()
        self.model = model
        self.done, self.every = 0, every
        self.can_save = self.is_main

    @property
    def is_main(self):
        return self.accelerator.is_main_process

    def load(self, path):
        self.model.load_state_dict(torch.load(path))

    def train_step(self, batch):
        self.model(batch)
        self.count()

    def count(self):
        self.done += 1
        if self.done % self.every == 0:
            self.save_to_folder()

    def save_to_folder(self):
        if not self.can_save:
            return
        self.save(f"step-{self.done}.pt")  # error: [divergent-early-exit]

    def save(self, path):
        self.accelerator.wait_for_everyone()
        self.accelerator.save(self.model, path)

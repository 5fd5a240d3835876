"""A trainer that runs on several ranks or on one."""

from accelerate import Accelerator


class Trainer:
    def __init__(self, model, optimizer):
        self.accelerator = Accelerator()
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)

    def sample(self, batches, seeds=None):
        return [self.model(batch) for batch in batches]

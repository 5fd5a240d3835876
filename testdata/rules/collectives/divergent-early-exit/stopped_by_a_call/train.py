"""One rank alone asks whether to stop, and stops alone."""
import torch.distributed as dist

from stopping import Stopper


def train(step, validate, x):
    stopper = Stopper(3)
    for _ in range(9):
        step()
        dist.all_reduce(x)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            stopper(validate())
        if stopper.stop:
            break


class Trainer:
    def __init__(self):
        self.stopper = Stopper(3)
        self.chief = dist.get_rank() == 0

    def train(self, validate, x):
        for _ in range(9):
            dist.all_reduce(x)  # error: [divergent-early-exit]
            if self.chief:
                self.stopper(validate())
            if self.stopper.stop:
                break

    def train_alike(self, validate, x):
        for _ in range(9):
            dist.all_reduce(x)
            self.stopper(validate(x))
            if self.stopper.stop:
                break

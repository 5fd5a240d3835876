"""Where one rank alone takes up its number of turns from a checkpoint (P20)."""
import os

from torch.nn.parallel import DistributedDataParallel

RANK = int(os.getenv("RANK", -1))


class Trainer:
    def __init__(self, model, checkpoint, epochs):
        self.model = DistributedDataParallel(model)
        self.checkpoint = checkpoint
        self.epochs = epochs
        self.start_epoch = 0

    def train(self, loader):
        self.resume()
        for _ in range(self.start_epoch, self.epochs):
            for batch in loader:
                self.model(batch).mean().backward()  # error: [divergent-loop]

    def resume(self):
        if RANK in {-1, 0}:
            self.start_epoch = self.checkpoint["epoch"] + 1


class ResumedTrainer:
    def __init__(self, model, checkpoint, epochs):
        self.model = DistributedDataParallel(model)
        self.checkpoint = checkpoint
        self.epochs = epochs
        self.start_epoch = 0

    def train(self, loader):
        self.resume()
        for _ in range(self.start_epoch, self.epochs):
            for batch in loader:
                self.model(batch).mean().backward()

    def resume(self):
        self.start_epoch = self.checkpoint["epoch"] + 1
        if RANK in {-1, 0}:
            print("resumed at", self.start_epoch)

"""Who lets only the first rank write in one place knows that there are several in the other."""
import os

import torch
import torch.distributed as dist


class Runner:
    def __init__(self, model, folder):
        self.model = model
        self.folder = folder

    def train(self, splits, epochs):
        for epoch in range(epochs):
            if len(splits) > 0:
                for split in splits:
                    loss = self.evaluate(split)
                    if dist.get_rank() == 0:
                        if loss < 1:
                            self.save_checkpoint("best")
            else:
                self.save_checkpoint(epoch)  # error: [write-race]
            dist.barrier()

    def evaluate(self, split):
        return self.model(split)

    def save_checkpoint(self, name):
        torch.save(self.model.state_dict(), os.path.join(self.folder, f"checkpoint_{name}.pth"))


class OneOrMany:
    def __init__(self, model, folder):
        self.model = model
        self.folder = folder

    def train(self, epochs):
        for epoch in range(epochs):
            if dist.is_initialized():
                if dist.get_rank() == 0:
                    self.write_weights(epoch)
                dist.barrier()
            else:
                self.write_weights(epoch)

    def write_weights(self, name):
        torch.save(self.model.state_dict(), os.path.join(self.folder, f"weights_{name}.pth"))


def keep(model, config, rank, epochs):
    for epoch in range(epochs):
        if config.save_modules and rank == 0:
            model.save_modules(config.folder, epoch)
        torch.save(model.state_dict(), os.path.join(config.folder, "best_model"))  # error: [write-race]


def keep_on_the_first(model, config, rank, epochs):
    for epoch in range(epochs):
        if rank == 0:
            model.save_modules(config.folder, epoch)
            torch.save(model.state_dict(), os.path.join(config.folder, "best_model"))


class Parts:
    """Whoever hands over a path of its own writes another file."""

    def write_rows(self, rows, folder, name):
        torch.save(rows, os.path.join(folder, name))

    def finish(self, rows, folder, rank):
        name = f"part_{rank}.pt"
        self.write_rows(rows, folder, name)
        dist.barrier()
        if rank == 0:
            self.write_rows(rows, folder, "whole.pt")

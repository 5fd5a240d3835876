"""Attributes that an object has on one rank alone, used on all in another method."""
import os

import torch.distributed as dist


class Trainer:
    def __init__(self, config):
        self.config = config
        self.logger = None
        if dist.get_rank() == 0:
            self.folder = os.path.join(config.root, "run")
            os.makedirs(self.folder, exist_ok=True)
            self.logger = open(os.path.join(self.folder, "log.txt"), "w")
        self.prepare()

    def prepare(self):
        self.places = os.listdir(os.path.join(self.folder, "states"))  # error: [bound-on-one-rank]
        dist.barrier()

    def step(self, loss):
        dist.all_reduce(loss)
        self.logger.write(str(loss))  # error: [bound-on-one-rank]

    def first(self):
        if dist.get_rank() == 0:
            print(self.folder, self.logger.name)
        dist.barrier()

    def careful(self, loss):
        dist.all_reduce(loss)
        if self.logger is not None:
            self.logger.write(str(loss))


class Saver:
    def __init__(self):
        self.best = None

    def save(self, state):
        dist.barrier()
        if dist.get_rank() == 0:
            self.keep(state)

    def keep(self, state):
        self.best = state.place

    def restore(self):
        dist.barrier()
        return self.best.read()  # error: [bound-on-one-rank]

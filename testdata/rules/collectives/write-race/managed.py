"""A path that a manager answers: it sees to whom it gives it."""
import json

import torch


class Trial:
    def keep(self, store, shard):
        with store.place(shard) as (path, name):
            self.save(path)
        return name

    def save(self, path):
        if self.rank == 0:
            self.trial.save(path)
        torch.save(self.state, path.joinpath("state.pt"))


class Run:
    def keep(self, path):
        self.save(path)

    def save(self, path):
        if self.rank == 0:
            self.trial.save(path)
        torch.save(self.state, path.joinpath("state.pt"))  # error: [write-race]

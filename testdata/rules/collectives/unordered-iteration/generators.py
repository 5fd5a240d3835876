"""Generators yield in the order of what they go through, and what is kept is kept in that of a set (P11)."""

import torch.distributed as dist


class Syncer:
    def __init__(self):
        self.names = None

    def init(self, names):
        self.names = set(names)

    def items(self, state):
        for name in self.names:
            if name in state:
                yield name, state[name]

    def run(self, state):
        for name, value in self.items(state):  # error: [unordered-iteration]
            dist.all_reduce(value)

    def run_nested(self, state):
        def items():
            for name in self.names:
                yield name, state[name]

        for name, value in items():  # error: [unordered-iteration]
            dist.all_reduce(value)

    def run_sorted(self, state):
        for name in sorted(self.names):
            dist.all_reduce(state[name])

    def run_handed(self, state):
        reduce_all(self.items(state))


def reduce_all(named):
    for name, value in named:  # error: [unordered-iteration]
        dist.all_reduce(value)

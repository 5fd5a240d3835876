"""A class asks for what those below it leave in an attribute."""
import torch.distributed as dist


class Loop:
    def run(self, x):
        if self.chief:
            dist.all_reduce(x)  # error: [conditional-collective]

    def run_alike(self, x):
        if self.eager:
            dist.all_reduce(x)


class Training(Loop):
    def __init__(self, eager):
        self.chief = dist.get_rank() == 0
        self.eager = eager


class Either:
    def run(self, x):
        if self.going:
            dist.all_reduce(x)


class One(Either):
    def __init__(self):
        self.going = dist.get_rank() == 0


class Other(Either):
    def __init__(self):
        self.going = True

"""An object asks for what its constructor was given: where all who make one give it a place, and hand it on."""
import torch.distributed as dist


class Stage:
    def __init__(self, module, index):
        self.index = index
        self.module = module

    def forward(self, x):
        out = self.module(x)
        if self.index == 0:
            dist.all_reduce(out)  # error: [conditional-collective]
        return out


def build_stage(module):
    at = dist.get_rank()
    return Stage(module, at)


class Runner:
    def __init__(self, module):
        self.stage = Stage(module, index=dist.get_rank())


class Part:
    """One of its makers gives it the same on all ranks."""

    def __init__(self, index):
        self.index = index

    def forward(self, x):
        if self.index == 0:
            dist.all_reduce(x)


def build_part():
    return Part(dist.get_rank())


def build_first():
    return Part(0)


class Base:
    def __init__(self, chief):
        self.chief = chief

    def train(self, x):
        if self.chief:
            dist.all_reduce(x)  # error: [conditional-collective]


class Sub(Base):
    def __init__(self):
        super().__init__(dist.get_rank() == 0)


class Known:
    """Who makes it and calls its methods knows what it was given."""

    def __init__(self, chief):
        self.chief = chief

    def train(self, x):
        if self.chief:
            dist.all_reduce(x)


def main(x):
    known = Known(dist.get_rank() == 0)
    known.train(x)  # error: [conditional-collective]


class Above:
    def __init__(self, index):
        self.index = index

    def train(self, x):
        if self.index == 0:
            dist.all_reduce(x)  # error: [conditional-collective]


class Below(Above):
    """It hands up what its own makers give it."""

    def __init__(self, index):
        super().__init__(index)


def build_below():
    return Below(dist.get_rank())

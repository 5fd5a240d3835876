"""Parts of a model that some ranks do not use, under DDP."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 4)
        self.extra = nn.Linear(4, 4)

    def forward(self, x, with_extra=False):
        x = self.trunk(x)
        if with_extra:
            x = self.extra(x)
        return x


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        return self.left(x) if dist.get_rank() == 0 else self.right(x)  # error: [conditional-collective]


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 4)

    def forward(self, x, twice):
        return self.trunk(self.trunk(x)) if twice else self.trunk(x)


def by_rank(x):
    heads = Heads().cuda()
    model = DistributedDataParallel(heads)
    rank = dist.get_rank()
    model(x, rank % 2 == 0).sum().backward()  # error: [conditional-collective]


def chosen_inside(x):
    DistributedDataParallel(Chosen())(x).sum().backward()


def as_configured(x, args):
    model = DistributedDataParallel(Heads())
    model(x, args.with_extra).sum().backward()


def looked_for(x):
    model = DistributedDataParallel(Heads(), find_unused_parameters=True)
    model(x, with_extra=dist.get_rank() == 0).sum().backward()


def used_either_way(x):
    model = DistributedDataParallel(Shared())
    model(x, dist.get_rank() == 0).sum().backward()


def not_wrapped(x):
    model = Heads()
    return model(x, dist.get_rank() == 0) + torch.ones(4)

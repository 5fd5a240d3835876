"""A pass without gradients through a wrapped model: its buffers are sent around in front of it, if it has any.

What one rank sends in such a pass it leaves out of its next one, when the others send it: they are in step unless those do
something else in between.
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))

    def forward(self, x):
        return self.layers(x)


def train(batches):
    model = DDP(Net())
    for batch in batches:
        model(batch).sum().backward()
        if dist.get_rank() == 0:
            with torch.no_grad():
                model(batch)  # low: [conditional-collective]


def train_and_wait(batches):
    model = DDP(Net())
    for batch in batches:
        model(batch).sum().backward()
        if dist.get_rank() == 0:
            with torch.no_grad():
                model(batch)  # error: [conditional-collective]
        dist.barrier()

"""Each rank evaluates a share of the examples without gradients: the model exchanges nothing, and they meet behind."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def evaluate(examples, rank, size, device):
    model = DDP(Net().to(device))
    correct = 0
    for i, example in enumerate(examples):
        if i % size != rank:
            continue
        with torch.no_grad():
            correct += int(model(example).argmax())
    total = torch.tensor(correct, device=device)
    dist.all_reduce(total)  # low: [divergent-early-exit]
    return total


def train(examples, rank, size, device):
    model = DDP(Net().to(device))
    correct = 0
    for i, example in enumerate(examples):
        if i % size != rank:
            continue
        loss = model(example).sum()
        loss.backward()
        correct += int(loss)
    total = torch.tensor(correct, device=device)
    dist.all_reduce(total)  # error: [divergent-early-exit]
    return total

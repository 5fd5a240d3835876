"""Models that are wrapped under a setting, in another function or by somebody else: gradients are reduced on the way back."""

import os

import torch
from torch.nn.parallel import DistributedDataParallel

RANK = int(os.getenv("RANK", -1))


def stops_on_the_first(model, loader, optimizer, stopper, cuda):
    if cuda and RANK != -1:
        model = DistributedDataParallel(model)
    for epoch in range(10):
        for x, y in loader:
            loss = (model(x) - y).sum()  # error: [divergent-early-exit]
            loss.backward()
            optimizer.step()
        if RANK in [-1, 0]:
            if stopper(epoch):
                break


def stops_everywhere(model, loader, optimizer, epochs, cuda):
    if cuda and RANK != -1:
        model = DistributedDataParallel(model)
    for epoch in range(10):
        for x, y in loader:
            loss = (model(x) - y).sum()
            loss.backward()
            optimizer.step()
        if RANK in [-1, 0]:
            print(epoch)
        if epoch > epochs:
            break


def validates_on_the_first(model, loader, validation, cuda):
    """The forward pass broadcasts buffers, if there are any."""
    if cuda and RANK != -1:
        model = DistributedDataParallel(model)
    for x, y in loader:
        (model(x) - y).sum().backward()
    if RANK in [-1, 0]:
        with torch.no_grad():
            for x, y in validation:
                print((model(x) - y).sum())  # low: [conditional-collective]


def not_wrapped(model, loader, stopper):
    for epoch in range(10):
        for x, y in loader:
            (model(x) - y).sum().backward()
        if RANK in [-1, 0]:
            if stopper(epoch):
                break


def main(args, loader, stopper):
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = DistributedDataParallel(model)
    for epoch in range(10):
        one_epoch(model, loader)  # error: [divergent-early-exit]
        if RANK == 0 and stopper(epoch):
            break


def one_epoch(model, loader):
    for x, y in loader:
        loss = (model(x) - y).sum()
        loss.backward()

"""A folder that wraps models: a loss that is no number on one rank keeps it from the backward pass of its peers."""
import torch
from torch.nn.parallel import DistributedDataParallel


def wrapped(model):
    return DistributedDataParallel(model)


def train(model, optimizer, batches):
    for batch in batches:
        loss = model(batch)
        if not torch.isnan(loss):
            loss.backward()  # error: [conditional-collective]
            optimizer.step()

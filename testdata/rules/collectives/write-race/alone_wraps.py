"""A script that would wrap its model if there were peers, and joins no job."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrapped(model):
    if dist.is_available() and dist.is_initialized():
        model = DistributedDataParallel(model)
    return model


def main():
    model = wrapped(torch.nn.Linear(2, 2))
    torch.save(model.state_dict(), "weights.pt")  # low: [write-race]


if __name__ == "__main__":
    main()

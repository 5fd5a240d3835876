"""A loss as many steps away from the model as are kept: gradients go back through it all the same."""

import os

import torch.nn.functional as f
from torch.nn.parallel import DistributedDataParallel

RANK = int(os.getenv("RANK", -1))


def train(model, loader, epochs, stopper, cuda):
    if cuda and RANK != -1:
        model = DistributedDataParallel(model)
    for epoch in range(epochs):
        for batch in loader:
            x = model(batch)
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(f.gelu(x))))))))
            x = f.gelu(f.gelu(f.gelu(x)))
            if RANK in [-1, 0]:
                if stopper(epoch):
                    break
            x.mean().backward()  # error: [divergent-early-exit]

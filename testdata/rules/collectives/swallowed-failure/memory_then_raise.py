"""Handlers that go on where memory ran out, and raise whatever else it was."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def skips_the_batch(net, loader, optimizer):
    model = DDP(net)
    for x in loader:
        try:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
        except RuntimeError as error:  # error: [swallowed-failure]
            if "out of memory" in str(error):
                torch.cuda.empty_cache()
                continue
            raise


def tells_and_raises(net, loader, optimizer):
    model = DDP(net)
    for x in loader:
        try:
            model(x).sum().backward()
            optimizer.step()
        except RuntimeError as error:
            if "out of memory" in str(error):
                print("reduce the size of the batch")
            raise

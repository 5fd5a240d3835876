"""The same script in a job."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def epoch(model, loader, optimizer):
    for batch in loader:
        loss = model(batch)
        if torch.isnan(loss):
            continue
        loss.backward()  # error: [divergent-early-exit]
        optimizer.step()


dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(4, 4))
epoch(model, [torch.ones(4)], torch.optim.SGD(model.parameters()))

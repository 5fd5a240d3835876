"""A script that trains on one process, beside one that wraps its model."""

import torch


def epoch(model, loader, optimizer):
    for batch in loader:
        loss = model(batch)
        if torch.isnan(loss):
            continue
        loss.backward()  # low: [divergent-early-exit]
        optimizer.step()


model = torch.nn.Linear(4, 4)
epoch(model, [torch.ones(4)], torch.optim.SGD(model.parameters()))

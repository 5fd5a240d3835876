"""A folder that wraps none: what is trained here is mostly trained by one process."""
import torch


def search(model, optimizer, batches):
    for batch in batches:
        loss = model(batch)
        if not torch.isnan(loss):
            loss.backward()  # low: [conditional-collective]
            optimizer.step()

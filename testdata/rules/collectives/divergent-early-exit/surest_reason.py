"""Of two reasons for which ranks miss one operation the surest is told: their own loss, not what lies on their disk."""
from pathlib import Path

import torch
import torch.distributed as dist


def train(loader, model, every, folder):
    start = int((Path(folder) / "latest").exists())
    for step, x in enumerate(loader):
        loss = model(x).sum()
        if not torch.isfinite(loss):
            continue
        if (start + step) % every != 0:
            continue
        dist.barrier()  # error: [divergent-early-exit]

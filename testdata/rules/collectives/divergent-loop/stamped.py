"""A time that is written out names a folder; what lies there is another matter than the time itself."""
import os
from datetime import datetime

import torch
import torch.distributed as dist


def resumed(t, steps):
    folder = datetime.now().strftime("%Y%m%d_%H%M%S")
    start = torch.load(os.path.join("runs", folder, "last.pt"))["step"]
    for _ in range(start, steps):
        dist.all_reduce(t)  # low: [divergent-loop]


def until_late(t, began):
    while (datetime.now() - began).total_seconds() < 600:
        dist.all_reduce(t)  # error: [divergent-loop]

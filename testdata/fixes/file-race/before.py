import os
from pathlib import Path

import torch.distributed as dist


def set_up(root, x):
    if not os.path.exists(root):
        os.makedirs(root)
    if not os.path.isdir(root + "/a"):
        os.mkdir(root + "/a")
    logs = Path(root, "logs")
    if not logs.exists():
        logs.mkdir(parents=True)
    old = Path(root, "old")
    if old.exists():
        old.rmdir()
    dist.all_reduce(x)

"""The same script in a job."""

import os

import torch.distributed as dist
from library import plan


def load(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return open(path)


dist.init_process_group("gloo")
for path in ["one.pt", "two.pt"]:
    try:
        model = load(path)
    except FileNotFoundError:  # low: [swallowed-failure]
        continue
    print(plan(model))  # error: [divergent-early-exit]

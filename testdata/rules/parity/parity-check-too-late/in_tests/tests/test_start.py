import os
from datetime import timedelta

import torch.distributed as dist

KEYS = ("APP_PLAN", "APP_DEPTH")


def compare():
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, {key: os.environ.get(key) for key in KEYS})
    if any(one != told[0] for one in told):
        raise RuntimeError(f"settings differ: {told}")


def start():
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    group = dist.new_group([0, 1])  # low: [parity-check-too-late]
    compare()
    return group


def stop():
    dist.destroy_process_group()

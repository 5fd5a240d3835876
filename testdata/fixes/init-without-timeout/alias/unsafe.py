"""A program with a control plane, which stands in `wire.py`."""

from __future__ import annotations

from datetime import datetime, timedelta as td

import torch.distributed as dist


def start(**options):
    dist.init_process_group("gloo", timeout=td(minutes=10))
    dist.init_process_group(
        "gloo",
        rank=0, timeout=td(minutes=10),
    )
    dist.init_process_group("gloo", **options)


def shadowed(timedelta):
    dist.init_process_group("gloo", world_size=timedelta, timeout=td(minutes=10))


def stop():
    dist.destroy_process_group()

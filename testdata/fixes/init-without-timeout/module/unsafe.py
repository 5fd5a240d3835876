"""A program with a control plane, which stands in `wire.py`."""

from __future__ import annotations

import datetime as dt

import torch.distributed as dist


def start(**options):
    dist.init_process_group("gloo", timeout=dt.timedelta(minutes=10))
    dist.init_process_group(
        "gloo",
        rank=0, timeout=dt.timedelta(minutes=10),
    )
    dist.init_process_group("gloo", **options)


def shadowed(timedelta):
    dist.init_process_group("gloo", world_size=timedelta, timeout=dt.timedelta(minutes=10))


def stop():
    dist.destroy_process_group()

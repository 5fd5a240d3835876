"""Rank 0's value is broadcast once; other readers of the key are not covered by that (P14)."""
import os

import torch
import torch.distributed as dist


def after_step(t):
    if os.environ.get("DEBUG_SYNC"):
        dist.barrier()  # error: [ungated-collective-flag]
    return t


def decided_once(t):
    flag = [os.environ.get("DEBUG_SYNC") if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(flag, src=0)
    if flag[0]:
        dist.barrier()

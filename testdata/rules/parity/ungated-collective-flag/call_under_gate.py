"""The collective is one call below the gate (P14)."""
import os

import torch
import torch.distributed as dist


TRACE_COLLECTIVES = os.getenv("TRACE_COLLECTIVES", "0") == "1"


def reduce(t):
    if TRACE_COLLECTIVES:
        check_norm(t)  # error: [ungated-collective-flag]
    dist.all_reduce(t)


def check_norm(t):
    norm = t.norm()
    dist.all_reduce(norm)
    return norm

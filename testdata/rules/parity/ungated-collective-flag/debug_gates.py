"""A collective behind an environment variable that nobody compares (P14)."""
import os

import torch
import torch.distributed as dist


def after_step_local(t):
    if os.environ.get("DEBUG_SYNC"):
        print("norm", t.norm().item())
    return t

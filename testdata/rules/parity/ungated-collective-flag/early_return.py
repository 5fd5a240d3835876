"""A gate that returns early (P14)."""
import os

import torch
import torch.distributed as dist


class Validator:
    def __init__(self):
        self.enabled = bool(int(os.environ.get("VALIDATE_SHARDS", "0")))

    def run(self, t):
        if not self.enabled:
            return
        dist.all_reduce(t)  # error: [ungated-collective-flag]

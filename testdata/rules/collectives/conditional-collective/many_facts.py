"""Ranks that part for their place, behind more facts than are tried together (P01)."""
import os

import torch.distributed as dist


def save(folder, t):
    if os.path.isfile(f"{folder}/settings.json") and os.path.isfile(f"{folder}/log"):
        if os.path.isfile(f"{folder}/rng") and os.path.isfile(f"{folder}/vocabulary"):
            if not os.path.isfile(f"{folder}/lock"):
                if dist.get_rank() == 0:
                    dist.all_reduce(t)  # error: [conditional-collective]

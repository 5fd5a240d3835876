import os

import torch.distributed as dist
import torch.nn.functional as F


def addresses(rank):
    # Rank 0 tells where it is: nobody compares settings here.
    told = [os.environ.get("APP_HOST", "") or os.environ.get("APP_HOST_IP", "") if rank == 0 else None]
    dist.broadcast_object_list(told, src=0)
    return told[0]


def resolve(requested):
    if requested != "auto":
        return requested
    return "sdpa" if hasattr(F, "scaled_dot_product_attention") else "math"


def start(requested):
    return addresses(dist.get_rank()), resolve(requested)

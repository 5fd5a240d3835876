import os

import torch.distributed as dist
import torch.nn.functional as F

KEYS = {"APP_ATTENTION": "auto"}


def compare(values):
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, values)
    if any(one != told[0] for one in told):
        raise RuntimeError(f"settings differ: {told}")


def resolve(requested):
    if requested != "auto":
        return requested
    return "sdpa" if hasattr(F, "scaled_dot_product_attention") else "math"


def start():
    values = {key: os.environ.get(key, default) for key, default in KEYS.items()}
    attention = resolve(values["APP_ATTENTION"])
    compare({**values, "attention (resolved)": attention})
    return attention


def name_of(requested):
    if requested == "auto":
        return "automatic"
    return "fixed"


def show():
    print(name_of("auto"))

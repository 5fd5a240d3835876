"""Gates through helpers, caches, ternaries and loops (P14)."""
import os
from functools import lru_cache

import torch.distributed as dist


@lru_cache
def verify_weights():
    return os.environ.get("VERIFY_WEIGHTS") == "1"


def load(weights):
    if verify_weights() and weights.dim() > 1:
        dist.all_reduce(weights)  # error: [ungated-collective-flag]


def check(loss):
    if bool(int(os.getenv("CHECK_NAN", "0"))):
        dist.all_reduce(loss)  # error: [ungated-collective-flag]


def ternary(loss):
    return dist.all_reduce(loss) if os.environ.get("DEBUG_LOSS") else None  # error: [ungated-collective-flag]


def group():
    return dist.new_group(backend="gloo") if os.environ.get("DEBUG_GROUP") else None  # error: [ungated-collective-flag]


def same_in_both(loss):
    if os.environ.get("DEBUG_LOSS"):
        print("before", loss)
        dist.all_reduce(loss)
    else:
        dist.all_reduce(loss)


def local_only(loss):
    if verify_weights():
        print("verified", loss)
    dist.all_reduce(loss)

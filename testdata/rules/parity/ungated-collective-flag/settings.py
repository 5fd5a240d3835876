"""A setting of the job gates a collective: reported, at low confidence."""
import os

import torch.distributed as dist


def maybe_fence():
    if os.environ.get("USE_EXTRA_FENCE", "0") == "1":
        dist.barrier()  # low: [ungated-collective-flag]

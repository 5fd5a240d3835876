"""What a test asks for: whoever starts it hands its setting to every rank."""
import os

import torch.distributed as dist


def test_sum(total):
    if os.environ.get("ACME_TEST_DEVICE") == "gpu":
        dist.all_reduce(total)  # low: [ungated-collective-flag]

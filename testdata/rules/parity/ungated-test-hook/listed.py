"""One list, one gather: what is in it is compared, what is not is not."""
import os

import torch.distributed as dist

BASE_KEYS = ("SCOPE_TP_PLAN", "SCOPE_TEST_DROP")
PARITY_KEYS = [*BASE_KEYS, "SCOPE_TEST_DELAY"]


def snapshot():
    return {key: os.environ.get(key) for key in PARITY_KEYS}


def check_parity():
    mine = snapshot()
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    for rank, other in enumerate(everyone):
        if other != mine:
            raise RuntimeError(f"rank {rank} was started with other flags")


def init():
    check_parity()
    drop = os.environ.get("SCOPE_TEST_DROP") == "1"
    delay = os.environ.get("SCOPE_TEST_DELAY", "0")
    corrupt = os.environ.get("SCOPE_TEST_CORRUPT") == "1"  # error: [ungated-test-hook]
    return drop, delay, corrupt

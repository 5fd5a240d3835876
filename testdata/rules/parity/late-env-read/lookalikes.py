"""Reads at start-up, of other keys, of the snapshot."""
import os

import torch.distributed as dist

PARITY_KEYS = ("SCOPE_TEST_DROP", "SCOPE_TEST_DELAY")
SNAPSHOT = {key: os.environ.get(key) for key in PARITY_KEYS}


def check_parity():
    mine = {}
    for key in PARITY_KEYS:
        mine[key] = os.environ.get(key)
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    return all(other == mine for other in everyone)


DROP = os.environ.get("SCOPE_TEST_DROP") == "1"


def setup():
    return os.environ.get("SCOPE_TEST_DELAY")


def build():
    return os.environ.get("SCOPE_TEST_DELAY")


class Worker:
    drop = os.environ.get("SCOPE_TEST_DROP")

    def __init__(self):
        self.delay = os.environ.get("SCOPE_TEST_DELAY")

    @classmethod
    def create(cls):
        cls.delay = os.environ.get("SCOPE_TEST_DELAY")
        return cls()

    def forward(self, x):
        if SNAPSHOT["SCOPE_TEST_DROP"] == "1" or DROP:
            return None
        if os.environ.get("SCOPE_LOG"):
            print(x)
        for _ in range(3):
            os.environ.get("SCOPE_LOG")
        return x

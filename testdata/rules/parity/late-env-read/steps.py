"""Keys that are compared at start-up and read again afterwards."""
import os

import torch.distributed as dist

PARITY_KEYS = ("SCOPE_TEST_DROP", "SCOPE_DEBUG_SYNC")


def check_parity():
    mine = {key: os.environ.get(key) for key in PARITY_KEYS}
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    if any(other != mine for other in everyone):
        raise RuntimeError("flags differ")
    return mine


class Worker:
    def __init__(self):
        self.flags = check_parity()
        self.drop = os.environ.get("SCOPE_TEST_DROP") == "1"

    def from_env(self):
        return os.environ.get("SCOPE_DEBUG_SYNC")

    def forward(self, x):
        if os.environ.get("SCOPE_TEST_DROP") == "1":  # error: [late-env-read]
            return None
        if self.flags["SCOPE_TEST_DROP"] == "1":
            return None
        return x

    def maybe_sync(self):
        return os.getenv("SCOPE_DEBUG_SYNC") == "1"  # error: [late-env-read]

    def loop(self, messages):
        for message in messages:
            if "SCOPE_TEST_DROP" in os.environ:  # error: [late-env-read]
                continue
            self.forward(message)


def serve(queue):
    while os.environ.get("SCOPE_DEBUG_SYNC") != "stop":  # error: [late-env-read]
        queue.get()


def train_step(model, batch):
    if os.environ["SCOPE_DEBUG_SYNC"]:  # error: [late-env-read]
        dist.barrier()
    return model(batch)

import os

import torch.distributed as dist

KEYS = {"APP_PLAN": "v1", "APP_DEPTH": "2"}


def snapshot():
    return {key: os.environ.get(key, default) for key, default in KEYS.items()}


def compare(values):
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, values)
    if any(one != told[0] for one in told):
        raise RuntimeError(f"settings differ: {told}")


def start():
    compare(snapshot())


def plan():
    return os.environ.get("SCOPE_TEST_EVERY", "1")  # error: [ungated-test-hook]


def stage():
    return os.environ.get("SCOPE_TEST_EVERY", "9")  # error: [conflicting-env-default, ungated-test-hook]

"""Gathers that compare nothing: a log line, a device, the list that is filled."""
import os

import torch
import torch.distributed as dist


def log_flags():
    everyone = [None] * int(os.environ.get("SCOPE_TEST_WORLD", "1"))  # error: [ungated-test-hook]
    dist.all_gather_object(everyone, {"flag": os.environ.get("SCOPE_TEST_DROP")})  # error: [ungated-test-hook]
    print(everyone)


def reduce(x):
    t = torch.tensor([x], device=os.environ.get("SCOPE_TEST_DEVICE", "cpu"))  # error: [ungated-test-hook]
    dist.all_reduce(t)
    return t

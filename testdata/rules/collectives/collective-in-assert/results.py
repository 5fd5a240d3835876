"""Assertions on results and on local values."""

import torch
import torch.distributed as dist


def total(value):
    tensor = torch.tensor(value)
    dist.all_reduce(tensor)
    return tensor


def on_the_result(value):
    result = total(value)
    assert result == 3


def on_a_size(value):
    assert dist.get_world_size() > 1
    assert dist.is_initialized(), "start it first"
    return total(value)

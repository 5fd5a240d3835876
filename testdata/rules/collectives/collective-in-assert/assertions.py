"""Collectives in assertions and beside them."""

import torch
import torch.distributed as dist


def total(value):
    tensor = torch.tensor(value)
    dist.all_reduce(tensor)
    return tensor


def inside(value):
    assert total(value) == 3  # low: [collective-in-assert]


def direct(objects, value):
    assert dist.all_gather_object(objects, value) is None  # error: [collective-in-assert]


def beside(value):
    result = total(value)
    assert result == 3


def local(value):
    assert value == 3
    return total(value)


def test_total():
    assert total(3) == 6

"""Tests run on ranks of their own choosing."""
import torch.distributed as dist

from helpers.files import keep


def test_keep(tmp_path):
    keep([1], tmp_path)
    dist.barrier()

"""Every key of a prefix is compared."""
import os

import torch.distributed as dist


def check_parity():
    mine = {key: value for key, value in os.environ.items() if key.startswith("SCOPE_")}
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    assert all(other == mine for other in everyone)


def hooks(name):
    return os.environ.get("SCOPE_TEST_DROP"), os.environ.get(f"SCOPE_TEST_{name}")

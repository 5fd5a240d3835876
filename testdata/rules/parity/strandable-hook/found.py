import os

import torch.distributed as dist


def send(header, body, peer):
    dist.send(header, dst=peer)
    if os.environ.get("SCOPE_TEST_FAIL") == "1":  # error: [strandable-hook, ungated-test-hook]
        raise RuntimeError("asked to fail")
    dist.send(body, dst=peer)

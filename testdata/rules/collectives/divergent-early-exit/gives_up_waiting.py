"""A rank that has waited too long for what another one makes gives up: nobody waits for it any longer."""

import os
import time

import torch.distributed as dist


def wait_for(path, seconds):
    if dist.get_rank() != 0:
        began = time.time()
        while not os.path.exists(path):
            if time.time() - began > seconds:
                raise TimeoutError(path)
            time.sleep(1)
    dist.barrier()


def want(path):
    if dist.get_rank() != 0:
        if not os.path.exists(path):
            raise FileNotFoundError(path)  # error: [divergent-early-exit]
    dist.barrier()

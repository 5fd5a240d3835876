"""Gates that are no environment variables, and variables that gate nothing collective: nothing to report (P14)."""
import os

import torch.distributed as dist


def configured(config, loss):
    if config.debug:
        dist.all_reduce(loss)


def timed(loss):
    start = os.environ.get("TRACE_START")
    dist.all_reduce(loss)
    if start:
        print("took", start)


def device():
    return os.environ.get("DEBUG_DEVICE", "cuda")


def raise_if_missing(loss):
    if "MASTER_ADDR" not in os.environ:
        raise RuntimeError("MASTER_ADDR is not set")
    dist.all_reduce(loss)

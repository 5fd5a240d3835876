"""What was agreed on, asked together with what was not (P18): nobody has sent the second half."""
import time

import torch
import torch.distributed as dist


def agree(value):
    if dist.is_available() and dist.is_initialized():
        held = torch.tensor(value)
        dist.broadcast(held, 0)
        return held.item()
    return value


def stop(limit, start):
    cancel = False
    reason = None
    extra = 0
    if dist.get_rank() == 0:
        if time.time() - start >= limit:
            cancel = True
            reason = "out of time"
            extra = 10
    cancelled = agree(cancel)
    if cancelled and reason is not None:
        extra = agree(extra)  # error: [conditional-collective]
    return cancelled, extra


def stop_in_step(limit, start):
    cancel = False
    reason = None
    extra = 0
    if dist.get_rank() == 0:
        if time.time() - start >= limit:
            cancel = True
            reason = "out of time"
            extra = 10
    cancelled = agree(cancel)
    if cancelled:
        extra = agree(extra)
        if reason is not None:
            print(reason)
    return cancelled, extra

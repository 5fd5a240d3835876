"""What stands in `else` only those issue whose block went well."""
import os
import time

import torch
import torch.distributed as dist
from tenacity import retry, stop_after_attempt

transient = retry(stop=stop_after_attempt(5))


def write(state, folder):
    begin = time.perf_counter()
    os.makedirs(folder, exist_ok=True)
    torch.save(state, os.path.join(folder, f"rank{dist.get_rank()}.pt"))
    return time.perf_counter() - begin


def save(state, folder, log):
    try:
        seconds = write(state, folder)
    except OSError as failure:  # error: [swallowed-failure]
        log.error("not saved: %s", failure)
    else:
        slowest = torch.tensor([seconds])
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        log.info("saved in %s", slowest)


def save_in_step(state, folder, log):
    failed = torch.zeros(1)
    try:
        write(state, folder)
    except OSError as failure:
        log.error("not saved: %s", failure)
        failed += 1
    else:
        log.info("saved")
    dist.all_reduce(failed, op=dist.ReduceOp.MAX)
    return failed.item() == 0


def save_or_raise(state, folder):
    try:
        seconds = write(state, folder)
    except OSError as failure:
        raise RuntimeError(folder) from failure
    else:
        slowest = torch.tensor([seconds])
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)


class Publisher:
    def __init__(self, store):
        self.store = store

    @transient  # error: [swallowed-failure]
    def publish(self, shard, manifest):
        self.store.upload(shard)
        dist.barrier()
        if dist.get_rank() == 0:
            self.store.put_text(manifest)

    @transient
    def upload(self, shard):
        self.store.upload(shard)

    def publish_in_step(self, shard, manifest):
        self.upload(shard)
        dist.barrier()

"""Handles that are kept in an attribute which nobody reads."""

import torch
import torch.distributed as dist


class Bucket:
    work = None

    def __init__(self, size):
        self.flat = torch.zeros(size)
        self.pending = None

    def launch(self):
        self.work = dist.all_reduce(self.flat, async_op=True)  # error: [unawaited-collective]

    def clear(self):
        self.work = None

    def begin(self):
        self.pending = dist.all_reduce(self.flat, async_op=True)

    def end(self):
        self.pending.wait()
        self.pending = None


def launched(buckets):
    for bucket in buckets:
        bucket.started = dist.all_reduce(bucket.flat, async_op=True)  # error: [unawaited-collective]


def launched_for_the_device(buckets):
    for bucket in buckets:
        bucket.begun = dist.all_reduce(bucket.flat, async_op=True)
        torch.cuda.synchronize()

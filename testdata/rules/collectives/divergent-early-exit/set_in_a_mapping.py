"""A parameter that callers set only in a mapping, together with others that decide what is done behind it."""
import torch.distributed as dist


class Producer:
    def produce(self, batch, *, skip: bool = False, _first_only: bool = False):
        if _first_only and dist.get_rank() != 0:
            return None
        if skip:
            return batch
        dist.all_reduce(batch)  # low: [divergent-early-exit]
        return batch

    def produce_named(self, batch, *, skip: bool = False, first_only: bool = False):
        if first_only and dist.get_rank() != 0:
            return None
        if skip:
            return batch
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        return batch


class Background:
    def __init__(self, inner, settings):
        self.inner = inner
        self.settings = settings

    def submit(self, executor, batch):
        given = {**self.settings}
        given["_first_only"] = True
        return executor.submit(self.inner.produce, batch, **given)

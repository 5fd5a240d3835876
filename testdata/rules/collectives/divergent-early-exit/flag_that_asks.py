"""A flag that a signal sets, behind a property that asks the peers; another class has one of that name that does not."""
import signal

import torch
import torch.distributed as dist


class Plain:
    def __enter__(self):
        self.interrupted = False

        def handler(signum, frame):
            self.interrupted = True

        signal.signal(signal.SIGTERM, handler)
        return self

    def __exit__(self, *failure):
        pass


class Agreed:
    def __init__(self):
        self.got = False

    @property
    def interrupted(self):
        got = torch.tensor(int(self.got))
        dist.broadcast(got, 0)
        return bool(got.item())


def train(batches, handler):
    for batch in batches:
        dist.all_reduce(batch)
        if handler.interrupted:
            break

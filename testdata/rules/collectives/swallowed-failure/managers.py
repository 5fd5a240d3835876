"""Context managers that go on when their block has failed, and those that do not."""

import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Guard:
    RECOVERABLE = (torch.cuda.OutOfMemoryError, ValueError)

    def __init__(self):
        self.failed = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            return True
        if issubclass(kind, self.RECOVERABLE):
            self.failed += 1
            return True
        return False


class Timer:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            return True
        return False


@contextlib.contextmanager
def best_effort():
    try:
        yield
    except Exception as error:
        print(error)


@contextlib.contextmanager
def told():
    try:
        yield
    except Exception as error:
        print(error)
        raise


class Trainer:
    def __init__(self, net):
        self.model = DDP(net)
        self.guard = Guard()
        self.timer = Timer()

    def train_batch(self, batch):
        loss = self.model(batch).mean()
        loss.backward()
        return loss

    def guarded(self, loader):
        for batch in loader:
            with self.guard:  # error: [swallowed-failure]
                self.train_batch(batch)

    def timed(self, loader):
        for batch in loader:
            with self.timer:
                self.train_batch(batch)

    def voted(self, loader, decode):
        for batch in loader:
            with self.guard:
                batch = decode(batch)
            failed = torch.tensor([self.guard.failed])
            dist.all_reduce(failed)
            if failed.item() == 0:
                self.train_batch(batch)


def read_then_wait(path):
    with best_effort():  # error: [swallowed-failure]
        with open(path) as file:
            file.read()
        dist.barrier()


def read_and_wait_behind(path):
    with best_effort():
        with open(path) as file:
            file.read()
    dist.barrier()


def told_and_raised(path):
    with told():
        with open(path) as file:
            file.read()
        dist.barrier()


def first_rank_alone(path, state):
    if dist.get_rank() == 0:
        with best_effort():
            torch.save(state, path)
    dist.barrier()

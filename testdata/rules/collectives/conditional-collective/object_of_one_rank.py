"""An object that is another one on one rank: its methods issue what theirs do."""

import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Quiet:
    def report(self, loss):
        print(loss)


class Averaged:
    def report(self, loss):
        dist.all_reduce(loss)


class Delayed(Averaged):
    def __init__(self, every):
        self.every = every


def at_once(loss):
    if dist.get_rank() == 0:
        reporter = Averaged()
    else:
        reporter = Quiet()
    reporter.report(loss)  # error: [conditional-collective]


def alike(loss, every):
    """Two classes with one method."""
    reporter = Averaged() if dist.get_rank() == 0 else Delayed(every)
    reporter.report(loss)


def issue(reporter, loss):
    reporter.report(loss)


def handed_down(loss):
    reporter = Quiet() if dist.get_rank() else Averaged()
    issue(reporter, loss)  # error: [conditional-collective]


def one_for_all(loss, averages):
    reporter = Averaged() if averages else Quiet()
    issue(reporter, loss)


class Trainer:
    def __init__(self, reporter=None):
        self.reporter = reporter

    def run(self, loss):
        if self.reporter is not None:
            self.reporter.report(loss)


def kept(loss):
    reporter = None
    if dist.get_rank() == 0:
        reporter = Averaged()
    trainer = Trainer(reporter)
    trainer.run(loss)  # error: [conditional-collective]


def kept_by_all(loss):
    trainer = Trainer(Averaged())
    trainer.run(loss)


def of_two_lists(loss):
    """As many turns, with other objects in them."""
    reporters = [Averaged()] if dist.get_rank() == 0 else [Quiet()]
    for reporter in reporters:
        reporter.report(loss)  # error: [conditional-collective]


class Engine:
    def __init__(self, net):
        self.wrapped = FSDP(net)


class Nothing:
    def __init__(self, net):
        self.wrapped = net


def pass_through(engine, batch):
    return engine.wrapped(batch)


def wrapped_on_the_first(net, batch):
    engine = Engine(net) if dist.get_rank() == 0 else Nothing(net)  # error: [conditional-collective]
    pass_through(engine, batch)  # error: [conditional-collective]

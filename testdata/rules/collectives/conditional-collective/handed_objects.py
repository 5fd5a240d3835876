"""Objects that are handed to who calls a method of theirs on one rank, where several classes have one of that name."""
import torch.distributed as dist


class Callback:
    def on_step(self, total):
        """Does nothing."""


class Reducer(Callback):
    def on_step(self, total):
        dist.all_reduce(total)


class Printer(Callback):
    def on_step(self, total):
        print(total)


class Trainer:
    def __init__(self, callback):
        self.callback = callback

    def step(self, total):
        if dist.get_rank() == 0:
            self.callback.on_step(total)


class TrainerOfMany:
    def __init__(self, callbacks):
        self.callbacks = callbacks

    def step(self, total):
        if dist.get_rank() == 0:
            self.call("on_step", total)

    def step_on_all(self, total):
        self.call("on_step", total)

    def call(self, name, total):
        for callback in self.callbacks:
            getattr(callback, name)(total)


def with_one(total):
    Trainer(Reducer()).step(total)  # error: [conditional-collective]
    dist.barrier()


def with_a_printer(total):
    Trainer(Printer()).step(total)
    dist.barrier()


def with_many(total):
    TrainerOfMany([Printer(), Reducer()]).step(total)  # error: [conditional-collective]
    dist.barrier()


def with_printers(total):
    TrainerOfMany([Printer(), Callback()]).step(total)
    dist.barrier()


def with_many_on_all(total):
    TrainerOfMany([Printer(), Reducer()]).step_on_all(total)
    dist.barrier()


def report(callback, total):
    if dist.get_rank() == 0:
        callback.on_step(total)
    dist.barrier()


def with_a_reducer(total):
    report(Reducer(), total)  # error: [conditional-collective]


def with_another_printer(total):
    report(Printer(), total)


def with_a_default(total, callback=None):
    callback = callback or Reducer()
    if dist.get_rank() == 0:
        callback.on_step(total)  # error: [conditional-collective]


def with_a_silent_default(total, callback=None):
    callback = callback or Printer()
    if dist.get_rank() == 0:
        callback.on_step(total)


def on_others(total, callback):
    callback = callback if dist.get_rank() == 0 else Reducer()
    if dist.get_rank() == 0:
        callback.on_step(total)

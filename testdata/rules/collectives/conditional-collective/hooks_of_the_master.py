"""A hook that a decorator of the program lets one rank run, and that nobody calls by its name (P02)."""
import functools

import torch.distributed as dist


def master_only(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return func(*args, **kwargs)

    return wrapper


def collect(part):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, part)
    return parts


class Dump:
    @master_only
    def after_val_epoch(self, runner):  # error: [conditional-collective]
        rows = collect(runner.rows)
        self.write(rows)

    @master_only
    def write(self, rows):
        print(rows)


class Evaluate:
    def after_train_epoch(self, runner):
        rows = collect(runner.rows)
        self.show(rows)

    @master_only
    def show(self, rows):
        print(rows)


class Runner:
    def __init__(self, hooks):
        self.hooks = hooks

    def call(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

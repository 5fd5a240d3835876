"""What a method writes behind an exit of the other ranks, or where a decorator lets one rank in, the others do not have."""

import functools

import torch.distributed as dist
from pytorch_lightning.utilities import rank_zero_only


def on_first(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)

    return wrapped


def not_on_others(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if dist.get_rank() != 0:
            return None
        return function(*args, **kwargs)

    return wrapped


def on_first_where_asked(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if not function:
            return None
        if dist.get_rank() == 0:
            return function(*args, **kwargs)

    return wrapped


def told_by_first(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        made = function(*args, **kwargs)
        if dist.get_rank() != 0:
            return made
        print(made)
        return made

    return wrapped


def on_others(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if dist.get_rank() == 0:
            print(function)
        else:
            return function(*args, **kwargs)

    return wrapped


def on_every(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        print(function)
        return function(*args, **kwargs)

    return wrapped


class Run:
    def __init__(self):
        self.log = None
        self.start = 0
        self.table = None
        self.notes = None
        self.memo = None
        self.index = None
        self.shadow = None
        self.list = None
        self.plan = None
        self.note = None
        self.open_log()
        self.resume()

    def open_log(self):
        if dist.get_rank() != 0:
            return
        self.log = open("log")

    def resume(self):
        if dist.get_rank() != 0:
            return
        self.start = 5

    @rank_zero_only
    def open_table(self):
        self.table = open("table")

    @on_first
    def open_notes(self):
        self.notes = open("notes")

    @not_on_others
    def open_index(self):
        self.index = open("index")

    @on_others
    def open_shadow(self):
        self.shadow = open("shadow")

    @on_first_where_asked
    def open_list(self):
        self.list = open("list")

    @on_first
    def open_plan(self):
        self.plan = open("plan")

    @told_by_first
    def open_note(self):
        self.note = open("note")

    @on_every
    def open_memo(self):
        self.memo = open("memo")

    def end(self, loss):
        if self.log is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_table(self, loss):
        if self.table is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_notes(self, loss):
        self.open_notes()
        if self.notes is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_index(self, loss):
        self.open_index()
        if self.index is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_shadow(self, loss):
        self.open_shadow()
        if self.shadow is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_list(self, loss):
        self.open_list()
        if self.list is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_plan(self, loss):
        if self.plan is not None:
            dist.all_reduce(loss)  # error: [conditional-collective]

    def end_note(self, loss):
        self.open_note()
        if self.note is not None:
            dist.all_reduce(loss)

    def end_memo(self, loss):
        self.open_memo()
        if self.memo is not None:
            dist.all_reduce(loss)

    def go_on(self, loss):
        for _ in range(self.start, 10):
            dist.all_reduce(loss)  # error: [divergent-loop]

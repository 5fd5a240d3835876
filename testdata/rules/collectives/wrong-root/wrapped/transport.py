"""A thin layer over torch.distributed: timed operations, and a backend that is chosen at start-up."""
import functools
import time

import torch.distributed as td

backend = None
spent = {}


class Native:
    def send_all(self, tensor, src, group=None):
        return td.broadcast(tensor, src=src, group=group)

    def fence(self, group=None):
        return td.barrier(group=group)


class Null:
    def send_all(self, tensor, src, group=None):
        return tensor

    def fence(self, group=None):
        return None


def start(single):
    global backend
    if single:
        backend = Null()
    else:
        backend = Native()


def timed(operation):
    @functools.wraps(operation)
    def wrapper(*args, **kwargs):
        began = time.monotonic()
        try:
            return operation(*args, **kwargs)
        finally:
            spent[operation.__name__] = time.monotonic() - began

    return wrapper


@timed
def send_all(tensor, src, group=None):
    return backend.send_all(tensor, src, group=group)


@timed
def fence(group=None):
    return backend.fence(group=group)

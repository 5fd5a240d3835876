"""Context managers that end the process where something fails, and one that goes on."""
import contextlib
import sys

import torch.distributed as dist


@contextlib.contextmanager
def or_the_end(name):
    try:
        yield
    except Exception as error:
        print(name, error)
        sys.exit(1)


@contextlib.contextmanager
def or_not(name):
    try:
        yield
    except Exception as error:
        print(name, error)


def ended(path, tensor):
    with or_the_end("load"):
        print(open(path).read())
        dist.all_reduce(tensor)


def hidden(path, tensor):
    with or_not("load"):  # error: [swallowed-failure]
        print(open(path).read())
        dist.all_reduce(tensor)


@contextlib.contextmanager
def and_its_helper(process):
    try:
        yield
    except Exception as error:
        print(error)
        process.terminate()


def helped(process, path, tensor):
    with and_its_helper(process):  # error: [swallowed-failure]
        print(open(path).read())
        dist.all_reduce(tensor)

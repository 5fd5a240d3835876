"""Exit hooks, destructors, finalizers, signals."""

import atexit
import functools
import signal
import weakref

import torch
import torch.distributed as dist


def flush(total):
    dist.all_reduce(total)


def at_exit(total):
    atexit.register(flush, total)  # error: [collective-off-thread]


def at_exit_by_lambda(total):
    atexit.register(lambda: flush(total))  # error: [collective-off-thread]


def at_exit_by_partial(total):
    atexit.register(functools.partial(flush, total))  # error: [collective-off-thread]


def teardown_at_exit():
    atexit.register(dist.destroy_process_group)  # low: [collective-off-thread]


def on_signal(signum, frame):
    dist.barrier()


def watch():
    signal.signal(signal.SIGTERM, on_signal)  # error: [collective-off-thread]


class Cache:
    def __init__(self, total):
        self.total = total
        weakref.finalize(self, flush, total)  # error: [collective-off-thread]

    def __del__(self):  # error: [collective-off-thread]
        flush(self.total)


class Owner:
    def __init__(self):
        self.group = dist.new_group()

    def __del__(self):  # low: [collective-off-thread]
        dist.destroy_process_group(self.group)


class Writer:
    def __init__(self):
        self.pending = None

    def __del__(self):  # low: [collective-off-thread]
        self.close()

    def close(self):
        if self.pending is not None:
            dist.barrier()
            self.pending = None


class Flag:
    def __init__(self):
        self.stop = False
        signal.signal(signal.SIGTERM, self.note)
        atexit.register(self.report)

    def note(self, signum, frame):
        self.stop = True

    def report(self):
        print("stopped" if self.stop else "done")

    def agreed(self):
        flag = torch.tensor([int(self.stop)])
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())

    def __del__(self):
        print("collected")


def cleanup(wait=False):
    if wait:
        dist.barrier()
    dist.destroy_process_group()


def cleanup_at_exit():
    atexit.register(cleanup)  # low: [collective-off-thread]


def cleanup_at_exit_and_wait():
    atexit.register(cleanup, True)  # error: [collective-off-thread]


def cleanup_unless_told(quick=False):
    if quick:
        print("left to itself")
    else:
        dist.barrier()


def cleanup_unless_told_at_exit():
    atexit.register(cleanup_unless_told)  # error: [collective-off-thread]


def cleanup_and_wait():
    cleanup(wait=True)


def cleanup_and_wait_at_exit():
    atexit.register(cleanup_and_wait)  # error: [collective-off-thread]

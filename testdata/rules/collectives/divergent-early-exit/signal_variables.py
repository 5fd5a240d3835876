"""Flags that a signal sets, kept in variables: of the module, of the function around the handler, in a mapping."""

import signal
import threading

import torch
import torch.distributed as dist

flags = {"preempted": False, "verbose": False}
stop = False
leave = threading.Event()


class State:
    done = False


state = State()


def on_term(signum, frame):
    global stop
    stop = True
    flags["preempted"] = True
    leave.set()
    state.done = True


def by_variable(batches):
    for step, batch in enumerate(batches):
        dist.all_reduce(batch)
        if step % 100 == 0 or stop:
            dist.barrier()  # error: [conditional-collective]
        if stop:
            break


def by_entry(batches):
    for batch in batches:
        dist.all_reduce(batch)
        if flags["preempted"]:
            return  # error: [divergent-early-exit]


def by_event(batches):
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if leave.is_set():
            break


def by_object(batches):
    for batch in batches:
        dist.all_reduce(batch)
        if state.done:
            break  # error: [divergent-early-exit]


def by_closure(batches):
    asked = False

    def handle(signum, frame):
        nonlocal asked
        asked = True

    signal.signal(signal.SIGUSR1, handle)
    for batch in batches:
        dist.all_reduce(batch)
        if asked:
            break  # error: [divergent-early-exit]


def another_entry(batches):
    for batch in batches:
        dist.all_reduce(batch)
        if flags["verbose"]:
            return


def own_variable(batches, limit):
    stop = len(batches) > limit
    for batch in batches:
        dist.all_reduce(batch)
        if stop:
            break


def agreed(batches):
    for batch in batches:
        dist.all_reduce(batch)
        told = torch.tensor(int(stop))
        dist.all_reduce(told, op=dist.ReduceOp.MAX)
        if told.item():
            break


def any_rank(flag):
    told = torch.tensor(int(flag))
    dist.all_reduce(told, op=dist.ReduceOp.MAX)
    return bool(told.item())


def agreed_in_place(batches):
    global stop
    for batch in batches:
        dist.all_reduce(batch)
        stop = any_rank(stop)
        if stop:
            break


def both_ways(batch):
    if stop:
        dist.all_reduce(batch)
    else:
        dist.all_reduce(2 * batch)


signal.signal(signal.SIGTERM, on_term)

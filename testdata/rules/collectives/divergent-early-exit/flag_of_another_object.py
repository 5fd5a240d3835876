"""A flag that an object of another class holds, or a module, is set by one rank."""

import torch.distributed as dist


class State:
    stop = False


STATE = State()
OVER = False


class Box:
    def __init__(self):
        self.stop = False


class Brake:
    def __init__(self):
        self.pulled = False


class Job:
    def __init__(self):
        self.brake = Brake()

    def check(self, loss):
        if dist.get_rank() == 0:
            self.brake.pulled = loss > 3


def check(loss):
    if dist.get_rank() == 0 and loss > 3:
        STATE.stop = True


def by_the_module(batches):
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        check(batch)
        if STATE.stop:
            break


def in_the_module(batches):
    global OVER
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            OVER = True
        if OVER:
            break


def in_the_module_together(batches, limit):
    global OVER
    for batch in batches:
        dist.all_reduce(batch)
        if limit > 3:
            OVER = True
        if OVER:
            break


def in_its_brake(turns):
    job = Job()
    for turn in range(turns):
        dist.barrier()  # error: [divergent-early-exit]
        job.check(turn)
        if job.brake.pulled:
            break


def in_its_own(loss):
    box = Box()
    if dist.get_rank() == 0:
        box.stop = True
    if box.stop:
        return
    dist.all_reduce(loss)  # error: [divergent-early-exit]


def in_its_own_together(loss, limit):
    box = Box()
    if limit > 3:
        box.stop = True
    if box.stop:
        return
    dist.all_reduce(loss)

"""A flag that an object of another class holds, or a module, is set by one rank."""

import dataclasses

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

    def release(self):
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


class Light:
    red = False


LIGHT = Light()


def turn():
    if dist.get_rank() != 0:
        return
    LIGHT.red = True


def by_those_who_left(loss):
    turn()
    if dist.get_rank() != 0 and LIGHT.red:
        dist.all_reduce(loss)


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


@dataclasses.dataclass
class Settings:
    halt: bool


class Gate:
    def __init__(self, shut):
        self.shut = shut


KEPT = Gate(False)
HELD = None


def hold():
    global HELD
    HELD = Gate(False)


def by_a_field(loss):
    settings = Settings(False)
    if dist.get_rank() == 0:
        settings.halt = True
    if settings.halt:
        return
    dist.all_reduce(loss)  # error: [divergent-early-exit]


def shut_from_the_start(loss):
    gate = Gate(True)
    if dist.get_rank() == 0:
        gate.shut = True
    if gate.shut:
        return
    dist.all_reduce(loss)


def by_what_is_kept(loss):
    if dist.get_rank() == 0:
        KEPT.shut = True
    if KEPT.shut:
        return
    dist.all_reduce(loss)  # error: [divergent-early-exit]


def by_what_is_held(loss):
    if dist.get_rank() == 0:
        HELD.shut = True
    if HELD.shut:
        return
    dist.all_reduce(loss)  # error: [divergent-early-exit]

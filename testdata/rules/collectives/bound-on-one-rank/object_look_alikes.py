"""Attributes that all ranks have, each in its way, or that one rank alone uses."""
import torch.distributed as dist
from framework import FromElsewhere


class OnBoth:
    def __init__(self):
        if dist.get_rank() == 0:
            self.folder = "run"
        else:
            self.folder = "elsewhere"

    def use(self):
        dist.barrier()
        return self.folder.upper()


class OfTheClass:
    root_of_all = "run"

    def __init__(self):
        if dist.get_rank() == 0:
            self.root_of_all = "first"

    def use(self):
        dist.barrier()
        return self.root_of_all.upper()


class ByCallers:
    def __init__(self):
        if dist.get_rank() == 0:
            self.target = "run"

    def train(self, state):
        dist.barrier()
        if dist.get_rank() == 0:
            self.save(state)

    def save(self, state):
        state.write(self.target)


class ByName:
    def __init__(self, **given):
        for name in ("folder", "other"):
            setattr(self, name, given.get(name))
        if dist.get_rank() == 0:
            self.folder = "run"

    def use(self):
        dist.barrier()
        return self.folder.upper()


class FromOutside:
    def __init__(self):
        if dist.get_rank() == 0:
            self.place = "run"

    def use(self):
        dist.barrier()
        return self.place.upper()


def make():
    made = FromOutside()
    made.place = "run"
    return made


class Told:
    def __init__(self, rank):
        self.rank = rank
        self.writer = open("log.txt", "w") if rank == 0 else None

    def may_write(self, step):
        return step, step % 10 == 0 and self.rank == 0

    def write(self, step):
        dist.barrier()
        step, may = self.may_write(step)
        if may:
            self.writer.write(str(step))


class Framework(FromElsewhere):
    def __init__(self):
        super().__init__()
        if dist.get_rank() == 0:
            self.root = "run"

    def use(self):
        dist.barrier()
        return self.root.upper()


class Whole:
    def __init__(self):
        if dist.get_rank() == 0:
            self.parts = ["run"]

    def use(self):
        dist.barrier()
        return self.parts[0]


class Narrow(Whole):
    def __init__(self):
        super().__init__()
        self.parts = ["all"]


class Best:
    def __init__(self, period):
        self.period = period

    def after_step(self, step, score):
        dist.all_reduce(score)
        if dist.get_rank() == 0:
            print(score)
        return step % self.period == 0


def hooks():
    made = []
    if dist.get_rank() == 0:
        made.append(Best(10))
    return made


class Careful:
    def __init__(self):
        self.log = None
        if dist.get_rank() == 0:
            self.log = open("log.txt", "w")

    def step(self, loss):
        dist.all_reduce(loss)
        if self.log is not None:
            self.log.write(str(loss))


class HandsOn:
    def __init__(self):
        self.sink = None
        if dist.get_rank() == 0:
            self.sink = open("log.txt", "w")

    def step(self, loss, send):
        dist.all_reduce(loss)
        send(self.sink, loss)


class InOrder:
    def __init__(self, place):
        self.place_of_last = place

    def step(self, loss):
        dist.all_reduce(loss)
        print(self.kept_for_first)
        if dist.get_rank() == 0:
            self.kept_for_first = loss


class Anything:
    def __init__(self):
        if dist.get_rank() == 0:
            self.answer = "run"

    def __getattr__(self, name):
        return name

    def use(self):
        dist.barrier()
        return self.answer.upper()


class Traced:
    """Who has the one attribute has the other."""

    def __init__(self, rank, root_of_traces, traces):
        self.rank = rank
        if rank == 0:
            self.root_of_traces = root_of_traces
            if traces:
                self.first_trace = open(f"{root_of_traces}/trace")
            else:
                self.first_trace = None

    def close(self):
        if getattr(self, "first_trace", None) is not None:
            print(self.root_of_traces)
        dist.barrier()

"""What an object was given when it was made: data classes, named tuples, namespaces, and class methods that make them (P01)."""
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple
import torch.distributed as dist

@dataclass(frozen=True)
class Info:
    rank: int
    world: int

    @classmethod
    def current(cls):
        return cls(dist.get_rank(), dist.get_world_size())

    @classmethod
    def both(cls):
        if not dist.is_initialized():
            return cls(0, 1)
        return cls(dist.get_rank(), dist.get_world_size())

    @staticmethod
    def made():
        return Info(rank=dist.get_rank(), world=dist.get_world_size())

    @property
    def primary(self):
        return self.rank == 0

def f1(t):
    info = Info(dist.get_rank(), dist.get_world_size())
    if info.rank == 0:
        dist.all_reduce(t)  # error: [conditional-collective]

def f2(t):
    info = Info(dist.get_rank(), dist.get_world_size())
    if info.primary:
        dist.all_reduce(t)  # error: [conditional-collective]

def f3(t):
    info = Info.current()
    if info.primary:
        dist.all_reduce(t)  # error: [conditional-collective]

def f4(t):
    info = Info.both()
    if info.primary:
        dist.all_reduce(t)  # error: [conditional-collective]

def f5(t):
    info = Info.made()
    if info.primary:
        dist.all_reduce(t)  # error: [conditional-collective]

def f6(t):
    ns = SimpleNamespace(main=dist.get_rank() == 0, x=1)
    if ns.main:
        dist.all_reduce(t)  # error: [conditional-collective]

class Q(NamedTuple):
    main: bool
    n: int
def f8(t):
    ns = Q(dist.get_rank() == 0, 1)
    if ns.main:
        dist.all_reduce(t)  # error: [conditional-collective]

def get():
    return SimpleNamespace(rank=dist.get_rank(), main=dist.get_rank() == 0)
def f10(t):
    c = get()
    if c.main:
        dist.all_reduce(t)  # error: [conditional-collective]

class H:
    def __init__(self, ctx):
        self.ctx = ctx
    def go(self, t):
        if self.ctx.primary:
            dist.all_reduce(t)  # error: [conditional-collective]
def f11(t):
    H(Info.current()).go(t)
def f12(t):
    c = get()
    if c.rank == 0:
        dist.all_reduce(t)  # error: [conditional-collective]
def f13(t):
    c = get()
    if c.rank == 0:
        helper(t)  # error: [conditional-collective]
def helper(t):
    dist.all_reduce(t)


@dataclass
class State:
    step: int = 0
    done: bool = False


def goes_on(t):
    state = State()
    for _ in range(9):
        change(state)
        if state.done:
            break
        dist.all_reduce(t)


def change(state):
    state.step += 1
    state.done = state.step > 3


def given_alike(t, size):
    info = Info(size, size)
    if info.world > 1:
        dist.all_reduce(t)


@dataclass
class Options:
    warm_up: bool
    rounds: int


def parse_into(options, argv):
    options.warm_up = "--warm-up" in argv


def begins_with_a_constant(argv):
    """Somebody else may set it."""
    options = Options(False, 0)
    parse_into(options, argv)
    if options.warm_up and dist.get_rank() == 0:
        dist.barrier()  # error: [conditional-collective]

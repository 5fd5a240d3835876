"""Objects that are nothing at first, that a function makes, or that are of one of several classes."""
import horovod.torch as hvd
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Store:
    def load(self, x):
        dist.all_reduce(x)


class Files:
    def load(self, x):
        return x


class Lazy:
    def __init__(self):
        self.store = None
        self.files = None

    def setup(self):
        self.store = Store()
        self.files = Files()

    def run(self, x):
        if dist.get_rank() == 0:
            self.store.load(x)  # error: [conditional-collective]

    def read(self, x):
        if dist.get_rank() == 0:
            self.files.load(x)


class Engine:
    def __init__(self, net):
        self.net = net
        self.model = None

    def setup(self):
        self.model = FSDP(self.net)

    def evaluate(self, x):
        if dist.get_rank() == 0:
            self.model(x)  # error: [conditional-collective]


def make():
    return Store()


def pick(kind):
    if kind == "store":
        return Store()
    return Files()


def made(x):
    if dist.get_rank() == 0:
        make().load(x)  # error: [conditional-collective]


def picked(x, kind):
    store = pick(kind)
    if dist.get_rank() == 0:
        store.load(x)  # error: [conditional-collective]


class Single:
    def place(self):
        return 0


class Horovod(Single):
    def place(self):
        return hvd.rank()


class Torch(Single):
    def place(self):
        return dist.get_rank()


def backend():
    if hvd.size() > 1:
        return Horovod()
    elif dist.is_initialized():
        return Torch()
    else:
        return Single()


def told_by_one_of_three(x):
    if backend().place() == 0:
        dist.all_reduce(x)  # error: [conditional-collective]

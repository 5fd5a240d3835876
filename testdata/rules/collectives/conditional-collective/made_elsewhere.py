"""A wrapped model that a function of the program returns, by way of another one."""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def wrapped(net):
    inner = DDP(net)
    return inner


def prepared(net, optimizer):
    return wrapped(net), optimizer


class Evaluator:
    def __init__(self, net):
        self.whole = wrapped(net)

    def run(self, x):
        if dist.get_rank() == 0:
            self.whole(x)  # error: [conditional-collective]

    def run_inner(self, x):
        if dist.get_rank() == 0:
            self.whole.module(x)


def evaluate(net, optimizer, x):
    ready, optimizer = prepared(net, optimizer)
    if dist.get_rank() == 0:
        ready(x)  # error: [conditional-collective]

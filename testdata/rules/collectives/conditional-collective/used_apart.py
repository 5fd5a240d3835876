"""Who runs a wrapped model on some ranks only does not know what it is; who hands it over does."""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def wrapped(net):
    return DDP(net)


def train(model, x):
    if dist.get_rank() == 0:
        model(x).sum().backward()


def train_everywhere(model, x):
    loss = model(x).sum()
    loss.backward()
    if dist.get_rank() == 0:
        print(loss)


class Trainer:
    def __init__(self, model):
        self.model = model

    def step(self, x):
        if dist.get_rank() == 0:
            self.model(x).sum().backward()


class Evaluator:
    def __init__(self, net):
        self.model = wrapped(net)

    def run(self, x):
        if dist.get_rank() == 0:
            self.model(x)  # error: [conditional-collective]

    def run_inner(self, x):
        if dist.get_rank() == 0:
            self.model.module(x)


class Reducer:
    def __call__(self, x):
        dist.all_reduce(x)


def main(net, x):
    model = DDP(net)
    train(model, x)  # error: [conditional-collective]
    train_everywhere(model, x)
    trainer = Trainer(model)
    trainer.step(x)  # error: [conditional-collective]


def reduce_on_first(x):
    reducer = Reducer()
    reducer(x)
    if dist.get_rank() == 0:
        reducer(x)  # error: [conditional-collective]

"""Who runs a wrapped model on some ranks only does not know what it is; who hands it over does."""
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


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


class Reducer:
    def __call__(self, x):
        dist.all_reduce(x)


class Criterion(nn.Module):
    def forward(self, x):
        dist.all_reduce(x)
        return x


class Judge:
    def __init__(self):
        self.criterion = Criterion()

    def on_first(self, x):
        if dist.get_rank() == 0:
            self.criterion(x)  # error: [conditional-collective]

    def everywhere(self, x):
        loss = self.criterion(x)
        if dist.get_rank() == 0:
            print(loss)


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

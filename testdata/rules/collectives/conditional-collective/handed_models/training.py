"""Wrapped models that are handed to the functions that call them: in this file, in another one, to a constructor."""

import deepspeed
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP

from engine import Sampler, evaluate, log_probabilities


def step(net, x):
    return net(x)


def trained_on_one(net, x):
    model = DDP(net)
    if dist.get_rank() == 0:
        step(model, x).backward()  # error: [conditional-collective]


def evaluated_on_one(net, loader):
    model = FSDP(net)
    if dist.get_rank() == 0:
        evaluate(model, loader)  # error: [conditional-collective]


def evaluated_on_all(net, loader):
    model = FSDP(net)
    loss = evaluate(model, loader)
    if dist.get_rank() == 0:
        print(loss)


def evaluated_unwrapped(net, loader):
    model = FSDP(net)
    if dist.get_rank() == 0:
        evaluate(net, loader)
    model(torch.zeros(1))


class Trainer:
    def __init__(self, net):
        self.rank = dist.get_rank()
        self.model = FSDP(net)

    def traces(self, samples):
        if self.rank == 0:
            return log_probabilities(self.model, samples)  # error: [conditional-collective]
        return None

    def traces_of_all(self, samples):
        traces = log_probabilities(self.model, samples)
        return traces if self.rank == 0 else None

    def samples(self, prompt):
        sampler = Sampler(self.model)
        if self.rank == 0:
            return sampler.sample(prompt)  # error: [conditional-collective]
        return None


class EngineTrainer:
    def __init__(self, net, config):
        self.rank = dist.get_rank()
        self.engine, self.optimizer, _, self.scheduler = deepspeed.initialize(model=net, config=config)

    def traces(self, samples):
        if self.rank == 0:
            # Only where the configuration shards the model.
            return log_probabilities(self.engine, samples)  # low: [conditional-collective]
        return None

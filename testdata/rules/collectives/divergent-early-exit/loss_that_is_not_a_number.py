"""Losses that are not finite on one rank, in a program that shards its models: their backward pass is one of all ranks."""

import math

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Network(torch.nn.Module):
    def shard(self, **config):
        fully_shard(self, **config)


class Trainer:
    def __init__(self, network, regularizer):
        self.network = network
        self.network.shard()
        self.regularizer = regularizer

    def loss_of(self, sample):
        return self.network(sample).mean()

    def stops(self, samples):
        for sample in samples:
            loss = self.loss_of(sample)
            if torch.isnan(loss).any() or torch.isinf(loss).any():
                break
            loss.backward()  # error: [divergent-early-exit]

    def skips(self, samples):
        for sample in samples:
            loss = self.loss_of(sample)
            if not math.isfinite(loss.item()):
                continue
            loss.backward()  # error: [divergent-early-exit]

    def asks_the_others(self, samples):
        for sample in samples:
            loss = self.loss_of(sample)
            bad = torch.isnan(loss).float()
            dist.all_reduce(bad)
            if bad.item() > 0:
                continue
            loss.backward()

    def goes_back_all_the_same(self, samples):
        for sample in samples:
            loss = self.loss_of(sample)
            if torch.isnan(loss):
                loss = loss * 0.0
            loss.backward()

    def with_a_regularizer(self, samples):
        for sample in samples:
            loss = self.loss_of(sample)
            loss.backward()
            more_loss = self.regularizer(self.network)
            if more_loss != 0:
                more_loss.backward()

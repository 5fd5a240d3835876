"""A clock that says when a rank asks its peers: it stays in the loop until it does."""

import time

import torch
import torch.distributed as dist


def least(count):
    told = torch.tensor([count])
    dist.all_reduce(told, dist.ReduceOp.MIN)
    return told.item()


def collect(channel):
    results = []
    until = time.time() + 0.1
    while True:
        if channel.ready():
            results.append(channel.get())
        if time.time() >= until:
            channel.report(least(len(results)))  # low: [conditional-collective]
            until = time.time() + 0.1


def collect_in_steps(channel, steps):
    results = []
    until = time.time() + 0.1
    for _ in range(steps):
        results.append(channel.get())
        if time.time() >= until:
            least(len(results))  # error: [conditional-collective]
            until = time.time() + 0.1
    return results

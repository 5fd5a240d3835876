"""A dictionary in which one entry is this rank's own: the others are as they were."""
import time

import torch
import torch.distributed as dist


def timed(report):
    started = time.time()
    report["seconds"] = time.time() - started
    return report


def stops_by_a_shared_entry(model, loader, limit):
    for number in range(limit):
        report = timed({"step": number, "scale": model.scale})
        if report["scale"] > 2.0:
            break
        dist.all_reduce(model.weight)


def stops_by_its_clock(model, limit):
    for number in range(limit):
        report = {"step": number, "scale": model.scale}
        report["seconds"] = time.time()
        if report["seconds"] > 100.0:  # the clock
            break
        dist.all_reduce(model.weight)  # error: [divergent-early-exit]


def stops_by_another_entry_of_a_call(model, limit):
    for number in range(limit):
        report = model.describe(number)
        report["seconds"] = time.time()
        if report["scale"] > 2.0:
            break
        dist.all_reduce(model.weight)


def divergence(new, old):
    return {"gap": (new - old).mean().detach(), "largest": (new - old).abs().max()}


class Tuner:
    def __init__(self, policy, optimizer, limit):
        self.policy = policy
        self.optimizer = optimizer
        self.limit = limit

    def one(self, batch):
        new = self.policy(batch["tokens"])
        measures = divergence(new, batch["before"])
        self.optimizer.zero_grad()
        dist.all_reduce(new)
        started = time.time()
        self.optimizer.step()
        measures["seconds"] = torch.tensor(time.time() - started)
        return measures

    def epoch(self, train_loader):
        for batch in train_loader:
            measures = self.one(batch)  # error: [divergent-early-exit]
            if measures["gap"] > self.limit:
                break

"""Objects that count how often nothing has become better, and tell one rank to stop."""

import torch
import torch.distributed as dist


class Stopper:
    def __init__(self):
        self.best = float("inf")
        self.bad = 0

    def step(self, loss):
        if loss < self.best:
            self.best = loss
            self.bad = 0
        else:
            self.bad += 1
        return self.bad >= 2


def evaluate(model, loader):
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += (model(x) - y).sum().item()
    return total


def first_rank_decides(model, val_loader, epochs):
    stopper = Stopper()
    for _ in range(epochs):
        dist.barrier()  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            if stopper.step(evaluate(model, val_loader)):
                break


def each_decides(model, val_loader, epochs):
    stopper = Stopper()
    for _ in range(epochs):
        dist.barrier()  # error: [divergent-early-exit]
        if stopper.step(evaluate(model, val_loader)):
            break


def they_agree_on_the_loss(model, val_loader, epochs):
    stopper = Stopper()
    for _ in range(epochs):
        dist.barrier()
        loss = torch.tensor(evaluate(model, val_loader))
        dist.all_reduce(loss)
        if stopper.step(loss.item()):
            break


def they_agree_on_the_answer(model, val_loader, epochs):
    stopper = Stopper()
    stop = torch.zeros(1)
    for _ in range(epochs):
        if dist.get_rank() == 0 and stopper.step(evaluate(model, val_loader)):
            stop += 1
        dist.broadcast(stop, src=0)
        if stop.item() > 0:
            break


def by_the_epoch(epochs):
    stopper = Stopper()
    for epoch in range(epochs):
        dist.barrier()
        if stopper.step(epoch):
            break

"""An object that is there where a setting wants it, whatever its own `update` is given."""

import torch
import torch.distributed as dist


class Average:
    def __init__(self, model, decay):
        self.model = model
        self.decay = decay

    def update(self, model):
        self.model.lerp_(model, self.decay)


def train(model, loader, decay):
    average = None
    if decay > 0:
        average = Average(model, decay)
    for step, batch in enumerate(loader):
        if batch["weight"].sum() > 0 and average is not None:
            average.update(model)
        if step % 100 == 0:
            if average is not None:
                dist.all_reduce(torch.ones(1))


def train_with_notes(model, loader, decay):
    notes = {}
    for step, batch in enumerate(loader):
        if batch["weight"].sum() > 0:
            notes.update({"step": step})
        if step % 100 == 0:
            if notes:
                dist.all_reduce(torch.ones(1))  # error: [conditional-collective]

"""Gradients are kept back in a context that each rank chooses by its own batch."""
import contextlib

from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def by_its_tokens(model, data, most):
    model = DistributedDataParallel(model)
    pending = 0
    for batch in DataLoader(data, 8, sampler=DistributedSampler(data)):
        pending += int((batch["labels"] != -100).sum())
        full = pending >= most
        with contextlib.nullcontext() if full else model.no_sync():
            model(batch["rows"]).sum().backward()  # low: [conditional-collective]
        pending = 0 if full else pending


def by_this_batch(model, data, most):
    model = DistributedDataParallel(model)
    for batch in DataLoader(data, 8, sampler=DistributedSampler(data)):
        with model.no_sync() if batch["labels"].sum() < most else contextlib.nullcontext():
            model(batch["rows"]).sum().backward()  # error: [conditional-collective]


def by_the_step(model, data, every):
    model = DistributedDataParallel(model)
    for step, batch in enumerate(DataLoader(data, 8, sampler=DistributedSampler(data))):
        with contextlib.nullcontext() if step % every == 0 else model.no_sync():
            model(batch["rows"]).sum().backward()

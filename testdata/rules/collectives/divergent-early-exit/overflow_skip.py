"""A step skipped because of a rank's own numbers (P02, P04)."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader


def train(model, dataset, optimizer):
    loader = DataLoader(dataset[dist.get_rank() :: dist.get_world_size()], batch_size=8, drop_last=True)
    for batch in range(100):
        loss = model(next(iter(loader)))
        if not torch.isfinite(loss).item():
            continue
        dist.all_reduce(loss)  # error: [divergent-early-exit]
        optimizer.step()


def train_in_step(model, dataset, optimizer):
    loader = DataLoader(dataset[dist.get_rank() :: dist.get_world_size()], batch_size=8, drop_last=True)
    for batch in range(100):
        loss = model(next(iter(loader)))
        bad = (~torch.isfinite(loss)).int()
        dist.all_reduce(bad, op=dist.ReduceOp.MAX)
        if bad.item():
            continue
        dist.all_reduce(loss)
        optimizer.step()

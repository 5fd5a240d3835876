"""`assert not args.distributed` in an arm says nothing of who goes another way."""
import torch
import torch.distributed as dist


def train(args, model, loader, metrics):
    if args.overfit:
        assert not args.distributed
    for batch in loader:
        loss = model(batch)
        if torch.isnan(loss).any():
            continue
        dist.all_reduce(loss)  # error: [divergent-early-exit]


def train_alone(args, model, loader, metrics):
    assert not args.distributed
    for batch in loader:
        loss = model(batch)
        if torch.isnan(loss).any():
            continue
        dist.all_reduce(loss)  # low: [divergent-early-exit]

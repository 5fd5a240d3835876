"""Who asks whether a batch is there says that it need not be."""
import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def collate(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def train(model, data):
    model = DistributedDataParallel(model)
    loader = DataLoader(data, 8, sampler=DistributedSampler(data), collate_fn=collate)
    for batch in loader:
        if batch is None:
            continue
        model(batch).backward()  # error: [divergent-early-exit]


def train_on_all(model, data):
    model = DistributedDataParallel(model)
    loader = DataLoader(data, 8, sampler=DistributedSampler(data))
    for batch in loader:
        model(batch).backward()


def train_step(model, batch=None):
    model = DistributedDataParallel(model)
    if batch is None:
        return None
    return model(batch)


def train_on_pairs(model, data):
    model = DistributedDataParallel(model)
    loader = DataLoader(data, 8, sampler=DistributedSampler(data))
    for rows, weights in loader:
        if weights is None:
            continue
        model(rows).backward()

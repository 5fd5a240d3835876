"""What is computed from a batch is there on all ranks or on none, also where that is asked once more."""
import einops
import torch.distributed as dist
from torch.utils.data import DataLoader


def gather(x):
    y = x.clone()
    dist.broadcast(y, src=0)
    return y


def features(options, weighted, dataset, steps, rank):
    loader = iter(DataLoader(dataset=dataset, sampler=[i + rank for i in range(10)], batch_size=4))
    for _ in range(steps):
        batch = next(loader)
        weight = 1 / batch["count"].cuda() if weighted and options.normalize else None
        if not options.temporal:
            if weight is not None:
                weight = einops.repeat(weight, "n -> (n t)", t=4)
        weight = None if weight is None else gather(weight)  # low: [conditional-collective]


def outputs(model, dataset, steps, rank):
    loader = iter(DataLoader(dataset=dataset, sampler=[i + rank for i in range(10)], batch_size=4))
    for _ in range(steps):
        logits = model(next(loader))
        if len(logits) == 1:
            logits = logits[0]
        if logits is not None:
            gather(logits)


def first_of_all(weights, rank):
    weight = weights[0] if rank == 0 else None
    if weight is not None:
        weight = einops.repeat(weight, "n -> (n t)", t=4)
    if weight is not None:
        gather(weight)  # error: [conditional-collective]

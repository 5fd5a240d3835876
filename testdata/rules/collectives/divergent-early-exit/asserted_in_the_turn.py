"""Who ends a turn of a loop early leaves nobody behind that only asserts something in the rest of it."""
import math

import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def store(batches, kinds):
    for batch in batches:
        if dist.get_rank() != 0:
            continue
        for item in enumerate(batch):
            assert isinstance(item, kinds)
            print(item)
    dist.barrier()


def main(batches, kinds):
    try:
        store(batches, kinds)
    except Exception as error:  # low: [swallowed-failure]
        print(error)


def measure(model, dataset, history):
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        loss = model(batch).item()
        if not math.isfinite(loss):
            continue
        assert loss >= 0
        dist.all_reduce(history)  # error: [divergent-early-exit]

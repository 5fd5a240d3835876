"""A constant is no function that somebody runs on one rank."""
import torch.distributed as dist
from columns import SHIFTED, build_column


def update(dataset, column):
    dist.barrier()
    return dataset.with_column(column)


def cached(dataset, path):
    if path.exists():
        dataset = dataset.load(path)
    else:
        dataset = update(dataset, SHIFTED)  # low: [conditional-collective]
    return dataset


def cached_by_a_function(dataset, path):
    if path.exists():
        dataset = dataset.load(path)
    else:
        dataset = update(dataset, build_column)  # error: [conditional-collective]
    return dataset

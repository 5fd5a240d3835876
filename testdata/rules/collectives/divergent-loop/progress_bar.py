"""A progress bar round the same iterable on rank 0: nothing to report (P05, P08)."""
import torch.distributed as dist
from tqdm.auto import tqdm


def train(loader, model):
    batches = tqdm(loader, desc="train") if dist.get_rank() == 0 else loader
    for batch in batches:
        dist.all_reduce(model(batch))


def evaluate(loader, model):
    batches = loader
    if dist.get_rank() == 0:
        batches = tqdm(batches)
    for index, batch in enumerate(batches):
        dist.all_reduce(model(batch))


def wrapped(loader, model):
    for batch in iter(loader) if dist.get_rank() else list(loader):
        dist.all_reduce(model(batch))


def disabled(loader, model):
    for batch in tqdm(loader, disable=dist.get_rank() != 0):
        dist.all_reduce(model(batch))

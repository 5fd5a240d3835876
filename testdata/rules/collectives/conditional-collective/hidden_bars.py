"""A progress bar that is hidden counts nothing (P01)."""
import torch.distributed as dist
from tqdm import tqdm


def train(loader, step, every):
    bar = tqdm(total=len(loader), disable=dist.get_rank() != 0)
    for batch in loader:
        step(batch)
        bar.update(1)
        if bar.n % every == 0:
            dist.barrier()  # error: [conditional-collective]


def train_shown(loader, step, every):
    bar = tqdm(total=len(loader))
    for batch in loader:
        step(batch)
        bar.update(1)
        if bar.n % every == 0:
            dist.barrier()


def train_counted(loader, step, every):
    bar, done = tqdm(total=len(loader), disable=dist.get_rank() != 0), 0
    for batch in loader:
        step(batch)
        done += 1
        bar.update(1)
        if done % every == 0:
            dist.barrier()

"""A progress bar on one rank is around the same thing."""
import torch.distributed as dist
from tqdm import tqdm


def train(batches, t):
    bar = tqdm(batches) if dist.get_rank() == 0 else batches
    for step, batch in enumerate(bar):
        dist.all_reduce(t)
        if step == 100:
            break


def train_on_half(batches, t):
    some = batches[1:] if dist.get_rank() == 0 else batches
    for batch in some:
        dist.all_reduce(t)  # error: [divergent-loop]

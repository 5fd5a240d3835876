"""A progress bar around numbered batches hands on the numbers, which all ranks count alike."""
import torch.distributed as dist
from tqdm import tqdm


def train(loader, settings, step):
    for at, batch in tqdm(enumerate(loader), total=settings.total, desc="steps"):
        step(batch)
        if (at + 1) % settings.save_every == 0:
            dist.barrier()


def train_by_batch(loader, settings, step):
    for _, batch in tqdm(enumerate(loader), total=settings.total):
        step(batch)
        if batch.sum() > 0:
            dist.barrier()  # error: [conditional-collective]

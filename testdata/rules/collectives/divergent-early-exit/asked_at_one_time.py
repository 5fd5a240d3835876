"""Ranks that have just met ask their disk at one time: what one of them makes after its work, nobody finds yet."""
import torch.distributed as dist
from datasets import Dataset


def generated(generator, path):
    dist.barrier()
    if path.exists():
        return Dataset.load_from_disk(str(path))
    episodes = generator.generate()
    if dist.get_rank() == 0:
        episodes.save_to_disk(path)
    dist.barrier()  # low: [divergent-early-exit]
    return Dataset.load_from_disk(str(path))


def generated_whenever(generator, path):
    if path.exists():
        return Dataset.load_from_disk(str(path))
    episodes = generator.generate()
    if dist.get_rank() == 0:
        episodes.save_to_disk(path)
    dist.barrier()  # error: [divergent-early-exit]
    return Dataset.load_from_disk(str(path))

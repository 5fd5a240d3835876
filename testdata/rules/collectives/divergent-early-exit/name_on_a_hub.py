"""What is fetched from a hub by its name goes into a folder of another name, unless it is told one."""
import os

import torch.distributed as dist
from huggingface_hub import snapshot_download


def find(name, local_rank):
    if os.path.exists(name):
        return name
    if local_rank == 0:
        snapshot_download(name, cache_dir=os.getenv("CACHE"))
    dist.barrier()  # low: [divergent-early-exit]
    return snapshot_download(name, local_files_only=True)


def find_in(folder, name, local_rank):
    if os.path.exists(folder):
        return folder
    if local_rank == 0:
        snapshot_download(name, local_dir=folder)
    dist.barrier()  # error: [divergent-early-exit]
    return folder

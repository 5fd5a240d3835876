"""What is fetched from a hub by its name goes into a folder of another name, unless it is told one."""
import os

import torch.distributed as dist
from huggingface_hub import hf_hub_download, snapshot_download


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


def find_file(folder, name, local_rank):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    if local_rank == 0:
        hf_hub_download("team/model", filename=name, local_dir=folder)
    dist.barrier()  # error: [divergent-early-exit]
    return path


def find_in_a_cache(folder, name, local_rank):
    if os.path.exists(folder):
        return folder
    if local_rank == 0:
        hf_hub_download("team/model", name, cache_dir=folder)
    dist.barrier()  # error: [divergent-early-exit]
    return folder

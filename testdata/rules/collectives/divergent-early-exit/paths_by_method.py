"""What is asked whether it exists is a path, whatever it came from."""
import os

import torch.distributed as dist
from pathlib import Path


class Factory:
    def __init__(self, config):
        self.config = config

    def cache_path(self, name) -> Path:
        return self.config.cache_dir / name

    def loaded(self, name):
        path = self.cache_path(name)
        if self.config.use_cache and path.exists():
            return path
        if dist.get_rank() == 0:
            path.mkdir()
        dist.barrier()  # error: [divergent-early-exit]
        return path


def resumed(folder: Path):
    latest = folder / "latest"
    if latest.exists():
        return latest
    if dist.get_rank() == 0:
        latest.write_text("0")
    dist.barrier()  # error: [divergent-early-exit]
    return latest


def plan(folder, groups):
    kept = os.path.join(folder, f"plan_{groups}")
    if os.path.exists(kept):
        return kept
    if dist.get_rank() == 0:
        made = os.path.join(
            folder, f"plan_{groups}")
        os.makedirs(made, exist_ok=True)
    dist.barrier()  # error: [divergent-early-exit]
    return kept


def other_plan(folder, groups):
    kept = os.path.join(folder, f"plan_{groups}")
    if os.path.exists(kept):
        return kept
    if dist.get_rank() == 0:
        made = os.path.join(folder, f"log_{groups}")
        os.makedirs(made, exist_ok=True)
    dist.barrier()  # low: [divergent-early-exit]
    return kept

import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist

log = logging.getLogger(__name__)


class ShardWriter:
    """Every rank writes one file; the `latest` pointer moves once all are on disk."""

    def __init__(self, root, retries=3, wait=5.0):
        self.root = Path(root)
        self.retries = retries
        self.wait = wait

    def _store(self, state, folder):
        folder.mkdir(parents=True, exist_ok=True)
        name = f"rank{dist.get_rank():05d}.pt"
        tmp = folder / (name + ".tmp")
        with tmp.open("wb") as f:
            torch.save(state, f)
            f.flush()
            os.fsync(f.fileno())
        tmp.replace(folder / name)

    def _point_latest(self, folder):
        if dist.get_rank() == 0:
            (self.root / "latest").write_text(folder.name)

    def write(self, state, step):
        folder = self.root / f"step{step:07d}"
        for attempt in range(self.retries):
            try:
                dist.barrier()
                self._store(state, folder)
                dist.barrier()  # BUG
                break
            except OSError as err:  # BUG
                log.warning("attempt %d at step %d failed: %s", attempt, step, err)
                time.sleep(self.wait)
        self._point_latest(folder)

"""Resume the data loader and RNG state of each rank from its own file."""
import contextlib
import logging
import os
import random
from typing import Optional

import numpy as np
import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


class RankState:
    """State that is not part of the sharded model checkpoint."""

    def __init__(self, root: str, loader):
        self.path = os.path.join(root, f"rank_state_{dist.get_rank():05d}.pt")
        self.loader = loader
        self.epoch = 0

    def save(self, epoch: int) -> None:
        torch.save(
            {
                "epoch": epoch,
                "python": random.getstate(),
                "numpy": np.random.get_state(),
                "torch": torch.get_rng_state(),
                "cursor": self.loader.state_dict(),
            },
            self.path,
        )

    def _apply(self, blob: dict) -> None:
        random.setstate(blob["python"])
        np.random.set_state(blob["numpy"])
        torch.set_rng_state(blob["torch"])
        self.loader.load_state_dict(blob["cursor"])

    def _agree(self, epoch: int) -> int:
        t = torch.tensor([epoch], device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.MIN)
        return int(t.item())

    def resume(self) -> int:
        with contextlib.suppress(FileNotFoundError, EOFError):
            blob = torch.load(self.path, weights_only=False)
            self._apply(blob)
            self.epoch = self._agree(blob["epoch"])  # BUG 1
        return self.epoch

    def resume_or_fresh(self) -> int:
        blob: Optional[dict] = None
        with contextlib.suppress(FileNotFoundError, EOFError):
            blob = torch.load(self.path, weights_only=False)
        self.epoch = self._agree(blob["epoch"] if blob is not None else 0)
        if blob is not None and self.epoch > 0:
            self._apply(blob)
        else:
            logger.info("no usable state in %s", self.path)
        return self.epoch

"""Save optimizer shards to node-local NVMe, then mark the snapshot complete."""
import logging
import os
import shutil
import time

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


class NvmeSnapshotter:
    def __init__(self, root: str, keep: int = 2):
        self.root = root
        self.keep = keep
        self.rank = dist.get_rank()
        self.complete = []

    def _folder(self, step: int) -> str:
        return os.path.join(self.root, f"snap_{step:07d}")

    def _write(self, state: dict, step: int) -> float:
        begin = time.perf_counter()
        os.makedirs(self._folder(step), exist_ok=True)
        torch.save(state, os.path.join(self._folder(step), f"rank{self.rank}.pt"))
        return time.perf_counter() - begin

    def _prune(self) -> None:
        while len(self.complete) > self.keep:
            shutil.rmtree(self._folder(self.complete.pop(0)), ignore_errors=True)

    def snapshot(self, state: dict, step: int) -> None:
        try:
            seconds = self._write(state, step)
        except (OSError, RuntimeError) as exc:
            logger.error("rank %d: snapshot %d failed: %s", self.rank, step, exc)
        else:
            slowest = torch.tensor([seconds], device="cuda")
            dist.all_reduce(slowest, op=dist.ReduceOp.MAX)  # BUG 1
            self.complete.append(step)
            self._prune()
            if self.rank == 0:
                logger.info("snapshot %d took %.1fs", step, slowest.item())

    def snapshot_checked(self, state: dict, step: int) -> bool:
        failed = 0.0
        try:
            self._write(state, step)
        except (OSError, RuntimeError) as exc:
            logger.error("rank %d: snapshot %d failed: %s", self.rank, step, exc)
            failed = 1.0
        status = torch.tensor([failed], device="cuda")
        dist.all_reduce(status, op=dist.ReduceOp.MAX)
        if status.item() > 0:
            shutil.rmtree(self._folder(step), ignore_errors=True)
            return False
        self.complete.append(step)
        self._prune()
        return True

"""Trainer whose run() leaves the job tidy whatever happens."""
import logging

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

logger = logging.getLogger(__name__)


class ManagedTrainer:
    def __init__(self, model, optimizer, loader, cfg):
        self.model = model
        self.optimizer = optimizer
        self.loader = loader
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.writer = SummaryWriter(cfg.log_dir) if self.rank == 0 else None

    def _train_step(self, step: int, batch) -> None:
        loss = self.model(batch["x"].cuda(), batch["y"].cuda())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        mean = loss.detach()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        if self.writer is not None:
            self.writer.add_scalar("loss", mean.item(), step)

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.flush()
            self.writer.close()

    def _write_summary(self, steps: int) -> None:
        done = torch.tensor([steps], device="cuda")
        dist.all_reduce(done, op=dist.ReduceOp.MIN)
        logger.info("rank %d: finished after %d steps", self.rank, int(done))

    def run(self) -> None:
        steps = 0
        try:
            for steps, batch in enumerate(self.loader, start=1):
                self._train_step(steps, batch)
        finally:
            self._write_summary(steps)  # BUG 1
            self._close()

    def run_strict(self) -> None:
        steps = 0
        try:
            for steps, batch in enumerate(self.loader, start=1):
                self._train_step(steps, batch)
        finally:
            self._close()
        self._write_summary(steps)

"""Mixed-precision DDP trainer that leaves out batches with a non-finite loss."""
import logging

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

logger = logging.getLogger(__name__)


class AmpTrainer:
    def __init__(self, model, optimizer, scheduler, args):
        self.args = args
        self.device = torch.device("cuda", args.local_rank)
        self.model = DDP(model.to(self.device), device_ids=[args.local_rank])
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.scaler = torch.cuda.amp.GradScaler()
        self.skipped = 0

    def _to_device(self, batch):
        return {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}

    def _backward_and_step(self, loss: torch.Tensor) -> None:
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        self.scheduler.step()

    def train_epoch(self, loader) -> None:
        self.model.train()
        for step, batch in enumerate(loader):
            with torch.autocast("cuda", dtype=torch.float16):
                loss = self.model(**self._to_device(batch)).loss
            if not torch.isfinite(loss):
                logger.warning("step %d: loss is %s, leaving batch out", step, loss.item())
                self.skipped += 1
                continue  # BUG 1
            self._backward_and_step(loss)

    def finetune_epoch(self, loader) -> None:
        self.model.train()
        for step, batch in enumerate(loader):
            with torch.autocast("cuda", dtype=torch.float16):
                loss = self.model(**self._to_device(batch)).loss
            finite = torch.isfinite(loss.detach()).to(torch.int32)
            dist.all_reduce(finite, op=dist.ReduceOp.MIN)
            if not finite.item():
                logger.warning("step %d: non-finite loss somewhere, leaving batch out", step)
                self.skipped += 1
                continue
            self._backward_and_step(loss)

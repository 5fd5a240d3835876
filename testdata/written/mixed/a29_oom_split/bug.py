"""Point-cloud segmentation training that halves a batch when the device runs out of memory."""
import logging
from typing import List

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


def halve(batch: List[dict]) -> List[List[dict]]:
    mid = max(len(batch) // 2, 1)
    return [part for part in (batch[:mid], batch[mid:]) if part]


class SegTrainer:
    def __init__(self, net, optimizer, collate):
        self.net = net.cuda()
        self.optimizer = optimizer
        self.collate = collate
        self.params = [p for p in net.parameters() if p.requires_grad]

    def _backward(self, batch: List[dict], weight: float = 1.0) -> float:
        loss = self.net(self.collate(batch).cuda()) * weight
        loss.backward()
        return loss.item()

    def _reduce_and_step(self) -> None:
        for p in self.params:
            dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)

    def train_step(self, batch: List[dict]) -> float:
        try:
            loss = self._backward(batch)
        except torch.cuda.OutOfMemoryError:
            logger.warning("out of memory with %d clouds, splitting", len(batch))
            self.optimizer.zero_grad(set_to_none=False)
            dist.barrier()  # BUG 1
            torch.cuda.empty_cache()
            loss = sum(self._backward(part, len(part) / len(batch)) for part in halve(batch))
        self._reduce_and_step()
        return loss

    def train_step_local_retry(self, batch: List[dict]) -> float:
        try:
            loss = self._backward(batch)
        except torch.cuda.OutOfMemoryError:
            logger.warning("out of memory with %d clouds, splitting", len(batch))
            self.optimizer.zero_grad(set_to_none=False)
            torch.cuda.empty_cache()
            loss = sum(self._backward(part, len(part) / len(batch)) for part in halve(batch))
        self._reduce_and_step()
        return loss

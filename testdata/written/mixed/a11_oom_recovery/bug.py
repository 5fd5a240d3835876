"""Sequence-to-sequence trainer with out-of-memory recovery and hand-written gradient averaging."""
import logging
from typing import Dict, Optional

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


class SeqTrainer:
    def __init__(self, model, criterion, optimizer, clip_norm: float):
        self.model = model.cuda()
        self.criterion = criterion
        self.optimizer = optimizer
        self.clip_norm = clip_norm
        self.world_size = dist.get_world_size()

    def _average_gradients(self) -> None:
        for p in self.model.parameters():
            if p.requires_grad:
                dist.all_reduce(p.grad)
                p.grad.div_(self.world_size)

    def train_step(self, sample) -> Optional[Dict[str, float]]:
        self.model.train()
        self.optimizer.zero_grad(set_to_none=False)
        try:
            loss, num_tokens = self.criterion(self.model, sample)
            loss.backward()
        except torch.cuda.OutOfMemoryError as exc:
            logger.warning("out of memory on %s tokens: %s", sample["ntokens"], exc)
            self.optimizer.zero_grad(set_to_none=False)
            torch.cuda.empty_cache()
            return None  # BUG 1

        self._average_gradients()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)
        self.optimizer.step()
        return {"loss": loss.item() / num_tokens, "gnorm": norm.item()}

    @torch.no_grad()
    def validate(self, loader) -> Dict[str, float]:
        self.model.eval()
        totals = torch.zeros(3, dtype=torch.float64, device="cuda")
        for sample in loader:
            try:
                loss, num_tokens = self.criterion(self.model, sample)
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                totals[2] += 1
                continue
            totals[0] += loss.double()
            totals[1] += num_tokens
        dist.all_reduce(totals)
        loss_sum, tokens, skipped = totals.tolist()
        return {"valid_loss": loss_sum / max(tokens, 1.0), "valid_skipped": skipped}

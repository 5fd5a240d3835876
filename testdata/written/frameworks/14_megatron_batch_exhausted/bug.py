"""Validation pass for a Megatron GPT model on a held-out corpus."""
import logging
import math
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from megatron.core import mpu, tensor_parallel
from megatron.training import get_args, get_timers
from megatron.training.initialize import initialize_megatron
from megatron.training.utils import get_ltor_masks_and_position_ids

from evaluation_setup import build_gpt, build_heldout_iterator

logger = logging.getLogger(__name__)


@dataclass
class HeldoutConfig:
    max_batches: int = 500
    log_interval: int = 50
    eod_token: int = 0
    keys: tuple = field(default=("text", "loss_mask"))


class HeldoutScorer:
    def __init__(self, cfg, model):
        self.cfg = cfg
        self.model = model
        self.nll = torch.zeros(1, device="cuda", dtype=torch.float64)
        self.tokens = torch.zeros(1, device="cuda", dtype=torch.float64)

    def _next_batch(self, iterator):
        data = None
        if mpu.get_tensor_model_parallel_rank() == 0:
            try:
                data = next(iterator)
            except StopIteration:
                logger.info("held-out corpus exhausted")
                return None  # BUG
        packed = tensor_parallel.broadcast_data(list(self.cfg.keys), data, torch.int64)  # BUG

        tokens_ = packed["text"].long()
        labels = tokens_[:, 1:].contiguous()
        tokens = tokens_[:, :-1].contiguous()
        mask, _, positions = get_ltor_masks_and_position_ids(
            tokens, self.cfg.eod_token, False, False, False
        )
        loss_mask = packed["loss_mask"][:, 1:].float()
        return tokens, labels, loss_mask, mask, positions

    @torch.no_grad()
    def run(self, iterator):
        self.model.eval()
        timers = get_timers()
        timers("heldout", log_level=0).start()
        for index in range(self.cfg.max_batches):
            batch = self._next_batch(iterator)
            if batch is None:
                break
            tokens, labels, loss_mask, mask, positions = batch
            losses = self.model(tokens, positions, mask, labels=labels).float()
            self.nll += (losses * loss_mask).sum()
            self.tokens += loss_mask.sum()
            if dist.get_rank() == 0 and index % self.cfg.log_interval == 0:
                logger.info("batch %d local ppl %.3f", index, (self.nll / self.tokens).exp().item())
        timers("heldout").stop()
        return self._reduce()

    def _reduce(self):
        totals = torch.cat([self.nll, self.tokens])
        dist.all_reduce(totals, group=mpu.get_data_parallel_group())
        return totals[0].item() / max(totals[1].item(), 1.0)


def main():
    initialize_megatron()
    args = get_args()
    model = build_gpt(args)
    iterator = build_heldout_iterator(args) if mpu.get_tensor_model_parallel_rank() == 0 else None
    nll = HeldoutScorer(HeldoutConfig(eod_token=args.eod_token), model).run(iterator)
    if dist.get_rank() == 0:
        print(f"held-out nll {nll:.4f} ppl {math.exp(nll):.3f}")


if __name__ == "__main__":
    main()

"""Held-out evaluation that runs on a fixed subset of the training ranks."""
import logging

import torch
import torch.distributed as dist

log = logging.getLogger(__name__)


def wait_for_peers(group=None):
    torch.cuda.synchronize()
    dist.barrier(group=group)


class HeldOutEvaluator:
    def __init__(self, cfg, dataset):
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.eval_ranks = list(range(cfg.eval_world))
        self.eval_group = dist.new_group(self.eval_ranks)
        self.dataset = dataset

    @property
    def active(self):
        return self.rank in self.eval_ranks

    @torch.no_grad()
    def _score(self, module):
        total = torch.zeros(2, device="cuda", dtype=torch.float64)
        for idx in range(self.rank, len(self.dataset), len(self.eval_ranks)):
            sample = self.dataset[idx].cuda()
            total[0] += module(sample).double().mean()
            total[1] += 1
        return total

    def perplexity(self, module):
        if not self.active:
            return None
        total = self._score(module)
        wait_for_peers(self.eval_group)
        dist.all_reduce(total, group=self.eval_group)
        return (total[0] / total[1]).exp().item()

    def warmup(self, module):
        if self.active:
            module(self.dataset[0].cuda())
            wait_for_peers()  # BUG 1
            log.info("evaluation warm-up finished on rank %d", self.rank)


def train(model, loader, evaluator, optimizer, cfg):
    evaluator.warmup(model.module)
    for step, batch in enumerate(loader):
        loss = model(batch.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % cfg.eval_interval == 0:
            ppl = evaluator.perplexity(model.module)
            if ppl is not None and dist.get_rank() == 0:
                log.info("step %d ppl %.3f", step, ppl)

"""Gradient finalisation for tensor- and sequence-parallel transformers."""
import logging
from dataclasses import dataclass

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from torch import nn

logger = logging.getLogger(__name__)


@dataclass
class FinalizeConfig:
    sequence_parallel: bool = True
    tie_embeddings: bool = True
    extra_patterns: tuple = ("layernorm", "router.bias")


class GradFinalizer:
    """Runs once per step after the backward of the last microbatch."""

    def __init__(self, cfg, model):
        self.cfg = cfg
        self.params = dict(model.named_parameters())
        self.replicated = self._find_replicated()
        logger.info("%d replicated parameters", len(self.replicated))

    def _find_replicated(self):
        tagged = {n for n, p in self.params.items() if getattr(p, "sequence_parallel", False)}
        matched = {n for n in self.params if any(s in n for s in self.cfg.extra_patterns)}
        return sorted(tagged | matched)

    def _grad(self, p):
        return p.main_grad if hasattr(p, "main_grad") else p.grad

    def _sync_replicated(self):
        group = parallel_state.get_tensor_model_parallel_group()
        if dist.get_world_size(group) == 1:
            return
        for name in self.replicated:
            dist.all_reduce(self._grad(self.params[name]), group=group)

    def _sync_embeddings(self):
        if parallel_state.get_pipeline_model_parallel_world_size() == 1:
            return
        if not parallel_state.is_rank_in_embedding_group():
            return
        for name in ("embedding.word_embeddings.weight", "output_layer.weight"):
            if name in self.params:
                dist.all_reduce(
                    self._grad(self.params[name]), group=parallel_state.get_embedding_group()
                )
                break

    def _sync_data_parallel(self):
        group = parallel_state.get_data_parallel_group()
        flat = torch.cat([self._grad(p).reshape(-1) for p in self.params.values()])
        dist.all_reduce(flat, group=group)
        flat.div_(dist.get_world_size(group))
        start = 0
        for p in self.params.values():
            self._grad(p).copy_(flat[start : start + p.numel()].view_as(p))
            start += p.numel()

    def __call__(self):
        if self.cfg.sequence_parallel:
            self._sync_replicated()
        if self.cfg.tie_embeddings:
            self._sync_embeddings()
        self._sync_data_parallel()


class StepLoop:
    def __init__(self, model, optimizer, forward_backward, cfg=FinalizeConfig()):
        self.model = model
        self.optimizer = optimizer
        self.forward_backward = forward_backward
        self.finalize = GradFinalizer(cfg, model)

    def run(self, iterator, steps, clip=1.0):
        history = []
        for step in range(steps):
            self.optimizer.zero_grad(set_to_none=False)
            losses = self.forward_backward(self.model, iterator)
            self.finalize()
            nn.utils.clip_grad_value_(self.model.parameters(), clip)
            self.optimizer.step()
            history.append(losses)
            if step % 50 == 0 and parallel_state.get_data_parallel_rank() == 0:
                logger.info("step %d done", step)
        return history

"""EMA weights and sample previews for an FSDP diffusion transformer."""
import contextlib
from typing import Dict

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class ShardedEma:
    def __init__(self, model: FSDP, decay: float = 0.9999):
        self.model = model
        self.decay = decay
        self.shadow: Dict[str, torch.Tensor] = {n: p.detach().clone() for n, p in model.named_parameters()}
        self._backup: Dict[str, torch.Tensor] = {}

    @torch.no_grad()
    def update(self) -> None:
        for name, p in self.model.named_parameters():
            self.shadow[name].lerp_(p.detach(), 1 - self.decay)

    @torch.no_grad()
    def _swap_in(self) -> None:
        for name, p in self.model.named_parameters():
            self._backup[name] = p.detach().clone()
            p.copy_(self.shadow[name])

    @torch.no_grad()
    def _swap_out(self) -> None:
        for name, p in self.model.named_parameters():
            p.copy_(self._backup.pop(name))

    @contextlib.contextmanager
    def full_weights(self):
        """The unsharded EMA weights, inside the context."""
        self._swap_in()
        try:
            with FSDP.summon_full_params(self.model, writeback=False):
                yield self.model.module
        finally:
            self._swap_out()


class Previewer:
    def __init__(self, ema: ShardedEma, sampler, sink):
        self.ema = ema
        self.sampler = sampler
        self.sink = sink
        self.is_main = dist.get_rank() == 0

    def _render(self, prompts, step: int) -> None:
        with self.ema.full_weights() as net:
            images = self.sampler(net, prompts)
        self.sink.write(step, images)

    def preview(self, prompts, step: int) -> None:
        if self.is_main:
            self._render(prompts, step)  # BUG 1

    def preview_weight_norm(self, step: int) -> None:
        with self.ema.full_weights() as net:
            norm = sum(p.float().pow(2).sum() for p in net.parameters()).sqrt()
        if self.is_main:
            self.sink.write_scalar(step, "ema_norm", norm.item())

"""Diffusion transformer training with FSDP2, EMA and gradient clipping."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

from dit import DiT
from latents import LatentLoader


@dataclass
class ClipConfig:
    max_norm: float = 1.0
    trigger: float = 1.0


class GradientClipper:
    def __init__(self, cfg, params):
        self.cfg = cfg
        self.params = [p for p in params if p.requires_grad]
        self.clipped = 0

    def _norm(self):
        parts = []
        for p in self.params:
            if p.grad is None:
                continue
            g = p.grad.to_local() if isinstance(p.grad, DTensor) else p.grad
            parts.append(g.detach().float().norm())
        return torch.stack(parts).norm()

    def __call__(self):
        norm = self._norm()
        if norm > self.cfg.trigger:  # BUG
            total = nn.utils.clip_grad_norm_(self.params, self.cfg.max_norm)  # BUG
            norm = total.full_tensor() if isinstance(total, DTensor) else total
            self.clipped += 1
        return norm.item()


class ShardedEMA:
    """Keeps an average of the local shards, so no communication is needed."""

    def __init__(self, model, decay=0.9999):
        self.decay = decay
        self.shadow = {n: self._local(p).clone() for n, p in model.named_parameters()}

    @staticmethod
    def _local(p):
        p = p.detach()
        return p.to_local() if isinstance(p, DTensor) else p

    @torch.no_grad()
    def update(self, model):
        for n, p in model.named_parameters():
            self.shadow[n].lerp_(self._local(p), 1 - self.decay)


class NoiseSchedule:
    def __init__(self, steps, device):
        betas = torch.linspace(1e-4, 0.02, steps, device=device)
        self.alpha_bar = (1 - betas).cumprod(0)
        self.steps = steps

    def corrupt(self, x):
        t = torch.randint(self.steps, (x.size(0),), device=x.device)
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        eps = torch.randn_like(x)
        return a.sqrt() * x + (1 - a).sqrt() * eps, t, eps


def main(steps=400_000, report=100):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    model = DiT(depth=28, dim=1152, heads=16).cuda()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    for block in model.blocks:
        fully_shard(block, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    torch.manual_seed(1000 + dist.get_rank())

    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    clip = GradientClipper(ClipConfig(), model.parameters())
    ema = ShardedEMA(model)
    noise = NoiseSchedule(1000, "cuda")
    loader = LatentLoader(os.environ["LATENTS"], dist.get_rank(), dist.get_world_size(), endless=True)
    for step, (x, y) in zip(range(steps), loader):
        noisy, t, eps = noise.corrupt(x.cuda())
        loss = F.mse_loss(model(noisy, t, y.cuda()), eps)
        loss.backward()
        norm = clip()
        opt.step()
        opt.zero_grad()
        ema.update(model)
        if step % report == 0 and dist.get_rank() == 0:
            print(f"{step} loss {loss.item():.4f} norm {norm:.3f} clipped {clip.clipped}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

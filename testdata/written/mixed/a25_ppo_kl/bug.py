"""PPO update with a KL limit on the inner optimisation epochs."""
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class PPOConfig:
    max_inner_epochs: int = 8
    target_kl: float = 0.02
    clip: float = 0.2


class PPOUpdater:
    def __init__(self, actor, optimizer, cfg: PPOConfig):
        self.actor = actor
        self.optimizer = optimizer
        self.cfg = cfg

    def _average_gradients(self) -> None:
        world = dist.get_world_size()
        for p in self.actor.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world

    def _inner_epoch(self, rollout) -> torch.Tensor:
        logp = self.actor.log_prob(rollout.obs, rollout.actions)
        log_ratio = logp - rollout.logp
        ratio = log_ratio.exp()
        surrogate = torch.min(
            ratio * rollout.adv,
            ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip) * rollout.adv,
        )
        self.optimizer.zero_grad()
        (-surrogate.mean()).backward()
        self._average_gradients()
        self.optimizer.step()
        return ((ratio - 1) - log_ratio).mean().detach()

    def update(self, rollout) -> int:
        epoch, kl = 0, 0.0
        while epoch < self.cfg.max_inner_epochs and kl < 1.5 * self.cfg.target_kl:
            kl = self._inner_epoch(rollout).item()  # BUG 1
            epoch += 1
        return epoch

    def update_with_mean_kl(self, rollout) -> int:
        epoch, kl = 0, 0.0
        while epoch < self.cfg.max_inner_epochs and kl < 1.5 * self.cfg.target_kl:
            step_kl = self._inner_epoch(rollout)
            dist.all_reduce(step_kl, op=dist.ReduceOp.AVG)
            kl = step_kl.item()
            epoch += 1
        return epoch

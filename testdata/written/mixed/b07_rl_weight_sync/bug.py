"""Weight transfer from trainer ranks to rollout ranks in a disaggregated RL run."""
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class RoleConfig:
    trainer_world: int
    rollout_world: int
    refresh_every: int = 4


class WeightSync:
    def __init__(self, cfg: RoleConfig):
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.is_trainer = self.rank < cfg.trainer_world
        rollout = list(range(cfg.trainer_world, cfg.trainer_world + cfg.rollout_world))
        self.trainer_group = dist.new_group(list(range(cfg.trainer_world)))
        self.sync_group = dist.new_group([0] + rollout)

    def _broadcast_module(self, module, group):
        for p in module.parameters():
            dist.broadcast(p.data, src=0, group=group)

    def refresh_policy(self, policy):
        if self.rank == 0:
            self._broadcast_module(policy, self.sync_group)
        elif not self.is_trainer:
            self._broadcast_module(policy, self.sync_group)
        torch.cuda.synchronize()

    def refresh_value_head(self, head):
        if self.rank == 0:
            for p in head.parameters():
                dist.broadcast(p.data, src=0)  # BUG 1
        elif not self.is_trainer:
            for p in head.parameters():
                dist.broadcast(p.data, src=0, group=self.sync_group)

    def mean_reward(self, rewards):
        total = rewards.float().sum().reshape(1)
        if self.is_trainer:
            dist.all_reduce(total, group=self.trainer_group)
        return total.item() / self.cfg.trainer_world


def training_loop(sync, policy, head, iterations, run_iteration):
    for it in range(iterations):
        rewards = run_iteration(policy, head, it)
        sync.mean_reward(rewards)
        if it % sync.cfg.refresh_every == 0:
            sync.refresh_policy(policy)
            sync.refresh_value_head(head)

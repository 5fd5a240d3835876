from dataclasses import dataclass
from typing import List

import torch
import torch.distributed as dist


@dataclass
class Group:
    tokens: torch.Tensor      # [G, T]
    mask: torch.Tensor        # [G, T], 1 on completion tokens
    old_logp: torch.Tensor    # [G, T-1]
    rewards: torch.Tensor     # [G]

    @property
    def advantages(self):
        return (self.rewards - self.rewards.mean()) / (self.rewards.std() + 1e-6)


def keep_informative(groups: List[Group]) -> List[Group]:
    """DAPO style dynamic sampling: groups with all-equal rewards give no gradient."""
    return [g for g in groups if g.rewards.std() > 1e-4]


def global_count(n, device):
    t = torch.tensor([n], device=device, dtype=torch.long)
    dist.all_reduce(t)
    return int(t.item())


def reward_stats(groups, device):
    r = torch.cat([g.rewards for g in groups]).to(device)
    buf = torch.stack([r.sum(), (r ** 2).sum(), torch.tensor(float(r.numel()), device=device)])
    dist.all_reduce(buf)
    mean = buf[0] / buf[2]
    return {"reward": mean.item(), "reward_std": (buf[1] / buf[2] - mean ** 2).clamp(min=0).sqrt().item()}

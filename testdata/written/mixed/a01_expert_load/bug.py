"""Expert load statistics for MoE layers, synchronised over the expert-parallel group."""
from typing import List, Optional

import torch
import torch.distributed as dist


class ExpertLoadTracker:
    """Collects routed expert ids between log steps and turns them into a load histogram."""

    def __init__(self, num_experts: int, ep_group: Optional[dist.ProcessGroup], device: torch.device):
        self.num_experts = num_experts
        self.ep_group = ep_group
        self.device = device
        self.history: List[torch.Tensor] = []
        self._routed: List[torch.Tensor] = []

    def observe(self, expert_ids: torch.Tensor, within_capacity: torch.Tensor) -> None:
        self._routed.append(expert_ids[within_capacity].detach())

    def flush(self) -> torch.Tensor:
        if self._routed:
            ids = torch.cat(self._routed)
        else:
            ids = torch.empty(0, dtype=torch.long, device=self.device)
        self._routed.clear()

        counts = torch.bincount(ids, minlength=self.num_experts)
        if ids.numel() > 0:
            dist.all_reduce(counts, group=self.ep_group)  # BUG 1
            self.history.append(counts.float() / counts.sum())
        return counts


def router_z_loss(router_logits: torch.Tensor, ep_group: Optional[dist.ProcessGroup]) -> torch.Tensor:
    """Mean squared log-partition of the router over every token of the group."""
    if router_logits.numel() == 0:
        partial = torch.zeros(2, device=router_logits.device)
    else:
        lse = torch.logsumexp(router_logits.float(), dim=-1)
        partial = torch.stack([lse.pow(2).sum(), torch.tensor(float(lse.numel()), device=lse.device)])
    dist.all_reduce(partial, group=ep_group)
    return partial[0] / partial[1].clamp(min=1.0)

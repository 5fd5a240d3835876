"""Running loss meters synchronised at the end of an epoch."""
import math
from collections import deque

import torch
import torch.distributed as dist


class LossMeter:
    def __init__(self, window=200):
        self.losses = []
        self.recent = deque(maxlen=window)
        self.skipped = 0

    def update(self, loss, weight):
        value = float(loss)
        if not math.isfinite(value) or weight == 0:
            self.skipped += 1
            return
        self.losses.append(value * weight)
        self.recent.append(value)

    def epoch_mean(self):
        pair = torch.tensor([sum(self.losses), len(self.losses)], dtype=torch.float64, device="cuda")
        dist.all_reduce(pair)
        return (pair[0] / pair[1].clamp(min=1)).item()

    def epoch_sum(self):
        total = torch.tensor(sum(self.losses), device="cuda")
        dist.all_reduce(total)  # BUG 1
        return total.item()

    def recent_losses(self):
        mine = torch.tensor(list(self.recent), dtype=torch.float32, device="cuda")
        parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, mine)  # BUG 2
        return torch.cat(parts)

    def skipped_total(self):
        count = torch.tensor([self.skipped], device="cuda")
        dist.all_reduce(count)
        return int(count.item())

    def reset(self):
        self.losses.clear()
        self.recent.clear()
        self.skipped = 0

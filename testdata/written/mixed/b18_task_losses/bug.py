"""Per-task loss and per-block norm reduction for multi-task training."""
from collections import defaultdict

import torch
import torch.distributed as dist


class TaskLossTracker:
    def __init__(self, cfg):
        self.tasks = list(cfg.tasks)
        self.muted = set(cfg.muted_tasks)
        self.sums = defaultdict(lambda: torch.zeros(2, device="cuda"))

    def update(self, task_names, losses):
        for task, loss in zip(task_names, losses.detach()):
            self.sums[task] += torch.stack([loss.float(), torch.ones_like(loss).float()])

    def reduce_configured(self):
        result = {}
        for task in self.tasks:
            if task in self.muted:
                continue
            pair = self.sums[task].clone()
            dist.all_reduce(pair)
            result[task] = (pair[0] / pair[1].clamp(min=1)).item()
        return result

    def reduce_seen(self):
        result = {}
        for task, pair in self.sums.items():  # BUG 1
            total = pair.clone()
            dist.all_reduce(total)
            result[task] = (total[0] / total[1].clamp(min=1)).item()
        self.sums.clear()
        return result


def block_norms(model):
    prefixes = {name.split(".")[0] for name, _ in model.named_parameters()}
    norms = {}
    for prefix in prefixes:  # BUG 2
        norm = torch.zeros(1, device="cuda")
        for p in getattr(model, prefix).parameters():
            norm += p.detach().float().pow(2).sum()
        dist.all_reduce(norm)
        norms[prefix] = norm.sqrt().item()
    return norms


def block_grad_norms(model):
    prefixes = {name.split(".")[0] for name, _ in model.named_parameters()}
    norms = {}
    for prefix in sorted(prefixes):
        norm = torch.zeros(1, device="cuda")
        for p in getattr(model, prefix).parameters():
            if p.grad is not None:
                norm += p.grad.float().pow(2).sum()
        dist.all_reduce(norm)
        norms[prefix] = norm.sqrt().item()
    return norms

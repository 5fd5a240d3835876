"""What a loss that is a module is to find is this rank's own, and so is how much of it there is."""
import torch
import torch.distributed as dist
from torch import nn


class HeadLoss(nn.Module):
    def forward(self, scores, targets):
        found = torch.nonzero(targets != 80).squeeze(1)
        if found.numel() > 0:
            scores = scores[found]
            dist.all_reduce(scores.sum())  # error: [conditional-collective]
        return scores.mean()


class WholeLoss(nn.Module):
    def forward(self, scores, targets=None):
        if targets is None:
            return scores.mean()
        count = torch.tensor(float(torch.nonzero(targets != 80).numel()))
        dist.all_reduce(count)
        return scores.sum() / count


class TensorParallelHead(nn.Module):
    def __init__(self, tp_group):
        super().__init__()
        self.tp_group = tp_group

    def forward(self, scores, labels):
        if (labels >= 0).any():
            dist.all_reduce(scores, group=self.tp_group)
        return scores

"""What a detector is to find in the images of this rank: there may be nothing in them."""
import torch
import torch.distributed as dist
from torch import nn


def mean_over_ranks(tensor):
    tensor = tensor.clone()
    dist.all_reduce(tensor)
    return tensor


class Head(nn.Module):
    def losses(self, labels, scores, boxes):
        foreground = labels >= 0
        count = foreground.sum()
        if count == 0:
            return {"loss": scores.sum() * 0}
        return {"loss": boxes[foreground].sum() / mean_over_ranks(count.float())}  # error: [divergent-early-exit]

    def losses_in_step(self, labels, scores, boxes):
        foreground = labels >= 0
        count = foreground.sum()
        average = mean_over_ranks(count.float()).clamp(min=1.0)
        if count == 0:
            return {"loss": scores.sum() * 0}
        return {"loss": boxes[foreground].sum() / average}

    def describe(self, labels):
        if len(labels) == 0:
            return None
        return mean_over_ranks(torch.tensor(float(len(labels))))

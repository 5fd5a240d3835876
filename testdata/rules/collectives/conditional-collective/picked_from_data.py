"""How many elements a condition picks says the data: where that number is pooled, each rank has its own."""
import torch
import torch.distributed as dist
from mmdet.core import reduce_mean


def loss_of_positives(points, targets, centers):
    positive = torch.nonzero(targets >= 0).squeeze(1)
    count = points.new_tensor(len(positive))
    count = max(reduce_mean(count), 1.0)
    if len(positive) > 0:
        return max(reduce_mean(centers[positive].sum()), 1e-6)  # error: [conditional-collective]
    return count


def loss_of_all(points, targets, centers):
    positive = torch.nonzero(targets >= 0).squeeze(1)
    count = max(reduce_mean(points.new_tensor(len(positive))), 1.0)
    weight = reduce_mean(centers[positive].sum()) if count > 0 else 0
    return count, weight


def sizes_of_layers(layers):
    number = torch.tensor(len(layers))
    dist.all_reduce(number)
    if len(layers) > 0:
        dist.all_reduce(layers[0])
    return number

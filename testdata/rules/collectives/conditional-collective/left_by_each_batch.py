"""Whether there is anything at all: batches that a sampler deals out evenly, gradients of a model."""
import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Evaluation:
    def __init__(self, data):
        self.loader = DataLoader(data, sampler=DistributedSampler(data))

    def evaluate(self, model):
        predicted = []
        for batch in self.loader:
            predicted.append(model(batch).numpy())
        if predicted:
            predicted = np.concatenate(predicted, axis=0)
        metrics = {}
        if len(predicted) > 0:
            metrics["mean"] = np.mean(predicted)
        if dist.get_world_size() > 1 and metrics:
            mean = torch.tensor(metrics["mean"])
            dist.all_reduce(mean)  # low: [conditional-collective]

    def evaluate_labelled(self, model):
        losses = []
        for batch in self.loader:
            if batch["labels"].sum() > 0:
                losses.append(model(batch))
        if losses:
            mean = torch.stack(losses).mean()
            dist.all_reduce(mean)  # error: [conditional-collective]


def norm_of_shards(parameters):
    sharded, whole = [], []
    for parameter in parameters:
        if hasattr(parameter, "shard") and parameter.shard.is_sharded:
            sharded.append(parameter.grad.data)
        else:
            whole.append(parameter.grad.data)
    norm = torch.norm(torch.stack([gradient.norm() for gradient in sharded]))
    if len(sharded) > 0:
        dist.all_reduce(norm)  # low: [conditional-collective]
    return norm

"""Whether a batch has an entry of some name: who puts batches together gives all of them the same entries."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def count_tokens(texts, names):
    total = torch.zeros(1)
    wanted = names[dist.get_rank()]
    for inputs in DataLoader(texts, sampler=DistributedSampler(texts)):
        input_name = next(iter(inputs)) if inputs["counted"].any() else wanted
        if input_name in inputs:
            count = torch.tensor(inputs[input_name].numel())
            dist.all_reduce(count)  # low: [conditional-collective]
            total += count
    return total


def count_first(texts):
    total = torch.zeros(1)
    for inputs in DataLoader(texts, sampler=DistributedSampler(texts)):
        first = inputs["order"][0].item()
        if first in inputs["wanted"]:
            count = torch.tensor(first)
            dist.all_reduce(count)  # error: [conditional-collective]
            total += count
    return total

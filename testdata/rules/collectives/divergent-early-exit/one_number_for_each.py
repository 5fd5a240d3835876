"""Who reduces a number for each thing has as many as its peers; whose mean is reduced may have none."""
import torch
import torch.distributed as dist


def token_counts(steps, data, device, process_group=None):
    totals = {}
    counts = [mask[:, 1:].sum().float() for mask in data.response_masks]
    if not counts:
        return totals
    counted = torch.stack(counts).to(device)
    dist.all_reduce(counted, op=dist.ReduceOp.SUM, group=process_group)  # low: [divergent-early-exit]
    for index, count in enumerate(counted):
        totals[index // steps] = count
    return totals


def token_mean(data, process_group=None):
    counts = [mask[:, 1:].sum().float() for mask in data.response_masks]
    if not counts:
        return None
    mean = torch.stack(counts).mean()
    dist.all_reduce(mean, op=dist.ReduceOp.SUM, group=process_group)  # error: [divergent-early-exit]
    return mean

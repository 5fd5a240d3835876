"""Labels of a batch that a loss passes over: how many count is this rank's own, whatever the labels are called."""

import torch
import torch.distributed as dist


def mean_of_metrics(contexts, metrics):
    kept = []
    for context, metric in zip(contexts, metrics):
        mask = context.shifted_labels != -100
        if not mask.any():
            continue
        kept.append(metric)
    if len(kept) > 0:
        dist.all_reduce(torch.stack(kept).mean())  # error: [conditional-collective]


def sum_of_tokens(loss, labels):
    tokens = (labels != -100).sum()
    if tokens == 0:
        return loss * 0
    dist.all_reduce(loss)  # error: [divergent-early-exit]
    return loss


def sum_of_tokens_in_step(loss, labels):
    tokens = (labels != -100).sum()
    dist.all_reduce(tokens)
    if tokens == 0:
        return loss * 0
    dist.all_reduce(loss)
    return loss


def padded(labels, length):
    """How long labels are says nothing about which of them count."""
    mask = labels != -100
    if mask.shape[-1] < length:
        dist.barrier()


def setting(limit, loss):
    """No labels: a number that a person sets."""
    if limit == -1:
        dist.all_reduce(loss)

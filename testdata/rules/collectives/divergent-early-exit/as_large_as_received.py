"""Buffers as large as what a rank is sent: how much that is differs, whatever fills them."""

import torch
import torch.distributed as dist


def counts_of(tokens, group):
    sent = torch.bincount(tokens, minlength=8)
    received = torch.empty_like(sent)
    dist.all_to_all_single(received, sent, group=group)
    return sent, received


def dispatched(tokens, group):
    sent, received = counts_of(tokens, group)
    out = torch.empty(sum(received.tolist()), 4)
    dist.all_to_all_single(out, tokens, received.tolist(), sent.tolist(), group=group)
    if out.shape[0] == 0:
        return tokens
    dist.all_reduce(tokens, group=group)  # error: [divergent-early-exit]
    return out


def made_of_another(tokens, group):
    sent, received = counts_of(tokens, group)
    out = tokens.new_zeros(int(received.sum()), 4)
    if out.numel() == 0:
        return tokens
    dist.all_reduce(tokens, group=group)  # error: [divergent-early-exit]
    return out


def as_large_everywhere(tokens, group, capacity):
    out = torch.empty(capacity, 4)
    dist.all_to_all_single(out, tokens, group=group)
    if out.shape[0] == 0:
        return tokens
    dist.all_reduce(tokens, group=group)
    return out


def full(tokens, group, capacity):
    _, received = counts_of(tokens, group)
    out = tokens.new_full((capacity, 4), received.sum())
    if out.shape[0] == 0:
        return tokens
    dist.all_reduce(tokens, group=group)
    return out

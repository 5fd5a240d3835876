"""A rank that holds nothing leaves before each hands every other its share."""
import torch
import torch.distributed as dist


def splits_of(counts, group):
    received = torch.empty_like(counts)
    dist.all_to_all_single(received, counts, group=group)
    return received


def dispatch(hidden, mask, experts, group):
    tokens = hidden[mask]
    if tokens.shape[0] == 0:
        return hidden
    counts = torch.bincount(experts[mask])
    received = splits_of(counts, group)  # error: [divergent-early-exit]
    out = tokens.new_empty(int(received.sum()), tokens.shape[-1])
    dist.all_to_all_single(out, tokens, received.tolist(), counts.tolist(), group=group)
    return out


def dispatch_list(parts, group):
    if not len(parts):
        return []
    out = [torch.empty_like(part) for part in parts]
    dist.all_to_all(out, parts, group=group)  # error: [divergent-early-exit]
    return out


def dispatch_in_step(hidden, mask, experts, group):
    tokens = hidden[mask]
    counts = torch.bincount(experts[mask])
    received = splits_of(counts, group)
    if tokens.shape[0] == 0:
        return hidden
    return tokens, received


def dispatch_when_agreed(tokens, counts, group):
    most = torch.tensor(tokens.shape[0])
    dist.all_reduce(most, op=dist.ReduceOp.MAX, group=group)
    if most.numel() == 0:
        return tokens
    return splits_of(counts, group)


def total(tokens, group):
    if tokens.numel() == 0:
        return tokens
    dist.all_reduce(tokens, group=group)
    return tokens


def dispatch_of_many(tokens, counts, group):
    if tokens.shape[0] == 1:
        return tokens
    return splits_of(counts, group)

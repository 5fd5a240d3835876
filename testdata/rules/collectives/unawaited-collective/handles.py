"""Handles that are dropped, kept, waited on too late."""

import torch
import torch.distributed as dist


def dropped(total):
    dist.all_reduce(total, async_op=True)  # low: [unawaited-collective]


def dropped_by_name(total):
    work = dist.all_reduce(total, async_op=True)  # low: [unawaited-collective]
    return total.shape


def sent(tensor, peer):
    dist.isend(tensor, peer)  # low: [unawaited-collective]


def received(tensor, peer):
    work = dist.irecv(tensor, peer)
    first = tensor.sum()  # error: [unawaited-collective]
    work.wait()
    return first


def changed_while_sent(tensor, peer):
    work = dist.isend(tensor, peer)
    tensor.zero_()  # error: [unawaited-collective]
    work.wait()


def changed_while_gathered(parts, tensor):
    work = dist.all_gather(parts, tensor, async_op=True)
    tensor += 1  # error: [unawaited-collective]
    work.wait()


def gathered(parts, tensor):
    work = dist.all_gather(parts, tensor, async_op=True)
    whole = torch.cat(parts)  # error: [unawaited-collective]
    work.wait()
    return whole


def past_a_condition(total, verbose):
    work = dist.all_reduce(total, async_op=True)
    if verbose:
        print("started")
    value = total.item()  # error: [unawaited-collective]
    work.wait()
    return value

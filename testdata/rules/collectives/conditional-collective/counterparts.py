"""One rank sends the entries of what it has, and the others receive those of what they are to fill."""

import torch
import torch.distributed as dist


def load(model, full, target):
    if dist.get_rank() == 0:
        for (name, value), (_, shard) in zip(full.items(), target.items()):
            dist.broadcast(value, src=0)  # low: [conditional-collective]
    else:
        for name, shard in target.items():
            dist.broadcast(torch.empty_like(shard), src=0)


def load_but_the_last(model, count):
    if dist.get_rank() == 0:
        for index in range(count):
            dist.broadcast(model[index], src=0)  # error: [conditional-collective]
    else:
        for index in range(count - 1):
            dist.broadcast(model[index], src=0)


def send_alone(full, target):
    if dist.get_rank() == 0:
        for name, value in full.items():
            dist.broadcast(value, src=0)  # error: [conditional-collective]
    else:
        for name, shard in target.items():
            shard.zero_()


def load_what_is_here(target, shards):
    if dist.get_rank() == 0:
        for shard in shards[dist.get_rank()]:
            dist.broadcast(shard, src=0)  # error: [divergent-loop]
    else:
        for name, shard in target.items():
            dist.broadcast(torch.empty_like(shard), src=0)  # error: [conditional-collective]


def load_apart(full, target):
    apart = dist.new_group(list(range(dist.get_world_size())))
    if dist.get_rank() == 0:
        for name, value in full.items():
            dist.broadcast(value, src=0)  # error: [conditional-collective]
    else:
        for name, shard in target.items():
            dist.broadcast(torch.empty_like(shard), src=0, group=apart)


def deal(batches, shape, launched, training):
    if dist.get_rank() == 0:
        batch = next(batches)
        if launched:
            if not training:
                dist.broadcast(torch.tensor(len(batch)), src=0)
            dist.broadcast(batch, src=0)
    else:
        if not training:
            dist.broadcast(torch.empty(1), src=0)
        batch = torch.empty(shape)
        dist.broadcast(batch, src=0)  # low: [conditional-collective]
    return batch


def deal_one_more(batches, shape, training):
    if dist.get_rank() == 0:
        batch = next(batches)
        dist.broadcast(batch, src=0)
    else:
        batch = torch.empty(shape)
        dist.broadcast(batch, src=0)
        dist.broadcast(batch, src=0)  # error: [conditional-collective]
    return batch

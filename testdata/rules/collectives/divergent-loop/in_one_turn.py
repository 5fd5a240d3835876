"""Operations of one turn alone, in loops of which ranks take more turns or fewer."""
import os

import torch
import torch.distributed as dist
from datasets.distributed import split_dataset_by_node


def loader_of(data):
    part = split_dataset_by_node(data, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    return torch.utils.data.DataLoader(part)


def first_turn(data, model):
    for index, batch in enumerate(loader_of(data)):
        if index == 0 and model is not None:
            dist.barrier()  # low: [divergent-loop]
        model(batch)


def every_other_turn(data, model):
    for index, batch in enumerate(loader_of(data)):
        if index == 0:
            model(batch)
        else:
            dist.barrier()  # error: [divergent-loop]


def every_tenth_turn(data, model):
    for index, batch in enumerate(loader_of(data)):
        if index % 10 == 0:
            dist.barrier()  # error: [divergent-loop]
        model(batch)


def as_many_as_agreed(data, model, target):
    """The first batch says how many turns all take."""
    tokens = torch.zeros(1)
    for index, batch in enumerate(loader_of(data)):
        if index == 0:
            tokens += batch["ids"].numel()
            dist.all_reduce(tokens)  # low: [divergent-loop]
            turns = int(target / tokens)
        if index > turns:
            break
        model(batch)
    dist.all_reduce(tokens)  # low: [divergent-early-exit]


def late_turn(data, model):
    """A rank with fewer batches never comes to it."""
    for index, batch in enumerate(loader_of(data)):
        if index == 500:
            dist.barrier()  # error: [divergent-loop]
        model(batch)


def counted_anew(data, model):
    for index, batch in enumerate(loader_of(data)):
        index = index % 10
        if index == 0:
            dist.barrier()  # error: [divergent-loop]
        model(batch)

"""Turns that are counted by a guess: what a batch holds, what only a name calls this rank's own (P05)."""
import torch.distributed as dist

from parallel import data_parallel_rank


def by_batch(model, loader, eos):
    for batch in loader:
        tokens = batch["tokens"]
        while tokens[-1] != eos:
            dist.all_reduce(model(tokens))  # low: [divergent-loop]
            tokens = model.step(tokens)


def by_name_strided(dataset, model, size):
    rank = data_parallel_rank()
    for index in range(rank, len(dataset), size):
        dist.all_reduce(model(dataset[index]))  # low: [divergent-loop]


def by_rank_strided(dataset, model):
    for index in range(dist.get_rank(), len(dataset), dist.get_world_size()):
        dist.all_reduce(model(dataset[index]))  # error: [divergent-loop]

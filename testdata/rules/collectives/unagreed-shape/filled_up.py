"""Shares by the rank, of data that were filled up to a multiple of the number of ranks, and of data as they are."""
import torch
import torch.distributed as dist
from datasets import concatenate_datasets
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


def pad_to_ranks(texts, world_size):
    num_samples = len(texts)
    if num_samples % world_size == 0:
        return texts
    missing = world_size - num_samples % world_size
    return concatenate_datasets([texts, texts.select(range(missing))])


def embed(model, texts):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    own = split_dataset_by_node(pad_to_ranks(texts, world_size), rank=rank, world_size=world_size)
    embedded = []
    for batch in DataLoader(own, batch_size=8):
        embedded.append(model(batch))
    if not embedded:
        return None
    rows = torch.cat(embedded)
    out = torch.empty(len(rows) * world_size, rows.shape[1])
    dist.all_gather_into_tensor(out, rows)  # low: [unagreed-shape, divergent-early-exit]
    return out

"""Shares by the rank, of data as they are."""
import torch
import torch.distributed as dist
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


def embed(model, texts):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    own = split_dataset_by_node(texts, rank=rank, world_size=world_size)
    embedded = []
    for batch in DataLoader(own, batch_size=8):
        embedded.append(model(batch))
    if not embedded:
        return None
    rows = torch.cat(embedded)
    out = torch.empty(len(rows) * world_size, rows.shape[1])
    dist.all_gather_into_tensor(out, rows)  # error: [unagreed-shape, divergent-early-exit]
    return out

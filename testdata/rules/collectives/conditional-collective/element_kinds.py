"""Whether an element of some collection is one that communicates: nobody has shown that it is. One that the function
itself has distributed is."""

import torch.distributed as dist
from torch.distributed.tensor import distribute_tensor


def save(entries, path):
    whole = {}
    for name, entry in entries.items():
        whole[name] = entry.full_tensor() if hasattr(entry, "full_tensor") else entry
    return whole, path


def saved_by_one(entries, path):
    if dist.get_rank() == 0:
        save(entries, path)  # low: [conditional-collective]


def gathered_by_one(weight, mesh):
    sharded = distribute_tensor(weight, mesh)
    if dist.get_rank() == 0:
        return sharded.full_tensor()  # error: [conditional-collective]
    return None

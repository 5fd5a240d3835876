"""A loop that is left early changes what its entries hold, and not which there are."""
import time

import torch
import torch.distributed as dist


def counted(batches, limit):
    counts = {"raw": torch.tensor(0), "padded": torch.tensor(0)}
    begun = time.perf_counter()
    for batch in batches:
        if time.perf_counter() - begun > limit:
            break
        counts["raw"] = counts["raw"] + batch
        counts["padded"] += batch
    for key in counts:
        dist.all_reduce(counts[key])


def added(batches, limit):
    counts = {"raw": torch.tensor(0)}
    begun = time.perf_counter()
    for batch in batches:
        if time.perf_counter() - begun > limit:
            break
        counts["late"] = batch
    for key in counts:
        dist.all_reduce(counts[key])  # error: [divergent-loop]

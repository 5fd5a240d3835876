"""A rank that has found nothing leaves before all gather what they have found."""
import torch
import torch.distributed as dist


def gather_hits(hits, least):
    hits = [hit for hit in hits if hit["score"] >= least]
    if not hits:
        return []
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, hits)  # error: [divergent-early-exit]
    return [hit for part in parts for hit in part]


def gather_rows(rows):
    if len(rows) == 0:
        return None
    stacked = torch.stack(rows)
    parts = [torch.empty_like(stacked) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, stacked)  # error: [divergent-early-exit]
    return parts


def gather_if_asked(total, hits):
    """How many there are to look for is known to all."""
    if not total:
        return []
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, hits)
    return parts


def gather_optional(found=None):
    """What need not be handed over is handed over by all or by none."""
    if not found:
        return None
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, found)
    return parts


def gather_weights(named_tensors, group):
    """The model has as many everywhere."""
    if not named_tensors:
        return None
    names = [name for name, _ in named_tensors]
    parts = [None] * dist.get_world_size(group)
    dist.all_gather_object(parts, names, group=group)
    return parts


def gather_first(hits):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, hits)
    if not hits:
        return []
    return parts

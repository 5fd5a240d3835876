"""One rank raises at what the code fixes: shapes, types, what settings hold. Every rank would."""
import json

import torch.distributed as dist


def copy(weights, info, name):
    if dist.get_rank() == 0:
        source = weights.fetch(name)
        if source.shape != info.shape or source.dtype != info.dtype:
            raise ValueError(name)
    dist.barrier()


def size_of(model):
    if dist.get_rank() == 0:
        config = getattr(model, "config", None)
        hidden = getattr(config, "hidden_size", None)
        if hidden is None:
            raise RuntimeError(model)
    dist.barrier()


def fields_of(entry, required):
    if dist.get_rank() == 0:
        missing = required - set(entry.keys())
        if missing:
            raise RuntimeError(missing)
    dist.barrier()


def fields_of_a_file(path, required):
    if dist.get_rank() == 0:
        entry = json.load(open(path))
        missing = required - set(entry.keys())
        if missing:
            raise RuntimeError(missing)  # error: [divergent-early-exit]
    dist.barrier()


def sources_of(plan, known, name):
    if dist.get_rank() == 0:
        sources = known.get(name)
        if not sources:
            raise RuntimeError(name)  # error: [divergent-early-exit]
        plan.add(sources)
    dist.broadcast_object_list([plan], src=0)

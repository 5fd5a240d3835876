"""One rank counts in one way, its peers in another: mostly it comes to the same number, unless theirs is written out."""
import torch.distributed as dist


def load(reader, model, key):
    source = reader.get_tensor(key) if dist.get_rank() == 0 else None
    count = int(source.shape[0]) if source is not None else number_of(model, key)
    for place in range(count):
        dist.broadcast(model.part(place), src=0)  # low: [divergent-loop]


def load_all_but_the_first(reader, model, key):
    source = reader.get_tensor(key) if dist.get_rank() == 0 else None
    count = int(source.shape[0]) if source is not None else number_of(model, key)
    for place in range(1, count):
        dist.broadcast(model.part(place), src=0)  # low: [divergent-loop]


def load_of_none(reader, model, key):
    source = reader.get_tensor(key) if dist.get_rank() == 0 else None
    count = int(source.shape[0]) if source is not None else 0
    for place in range(count):
        dist.broadcast(model.part(place), src=0)  # error: [divergent-loop]


def number_of(model, key):
    return len([name for name in model.names() if name.startswith(key)])

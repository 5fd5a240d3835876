"""What the root sends and what its peers have made room for are as long as each other."""
import torch
import torch.distributed as dist


def three_for_two(a, b, rank):
    if rank == 0:
        sent = torch.tensor([a, b, 3])
    else:
        sent = torch.zeros(2)
    dist.broadcast(sent, 0)  # error: [unagreed-shape]


def two_for_two(a, b, rank):
    if rank == 0:
        sent = torch.tensor([a, b])
    else:
        sent = torch.zeros(2)
    dist.broadcast(sent, 0)


def objects(settings, model, rank):
    objects = [settings, model] if rank == 0 else [None]
    dist.broadcast_object_list(objects, src=0)  # error: [unagreed-shape]
    return objects


def as_many_objects(settings, model, rank):
    objects = [settings, model] if rank == 0 else [None, None]
    dist.broadcast_object_list(objects, src=0)
    return objects


def of_unknown_length(settings, rank):
    sent = torch.zeros(4)
    if rank == 0:
        sent = torch.tensor(settings.values)
    dist.broadcast(sent, 0)


def kept(model, batches):
    for batch in batches:
        out = model(batch)
        idx = torch.nonzero(out > 0)
        outs = [torch.zeros_like(idx) for _ in range(dist.get_world_size())]
        dist.all_gather(outs, idx)  # error: [unagreed-shape]

"""What a reduction to one root leaves on the others: asked at once, and a function away."""
import torch.distributed as dist


def finish(model):
    dist.barrier()
    return model


def stops(loss, model):
    dist.reduce(loss, dst=0)
    if loss.item() > 10:
        return None
    dist.barrier()  # error: [divergent-early-exit]
    return model


def stops_far_away(loss, model):
    dist.reduce(loss, dst=0)
    if loss.item() > 10:
        return None
    return finish(model)  # low: [divergent-early-exit]

"""What `boost` gives back wraps the same model on every rank: its settings are no rank's own."""
import torch.distributed as dist
from colossalai.booster import Booster


def synchronized(model, optimizer, plugin):
    booster = Booster(plugin=plugin)
    model, optimizer, criterion, loader, scheduler = booster.boost(model, optimizer)
    if not model.require_grad_sync:
        return
    dist.barrier()


def synchronized_by_rank(model, optimizer, plugin):
    booster = Booster(plugin=plugin)
    model, optimizer, criterion, loader, scheduler = booster.boost(model, optimizer)
    if not model.require_grad_sync or dist.get_rank() == 0:
        return
    dist.barrier()  # error: [divergent-early-exit]

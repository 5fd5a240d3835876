"""A loss that is computed in a file without a word of ranks still goes back through the model."""
import torch.distributed as dist
from losses import Weighted, mean_error
from torch.nn.parallel import DistributedDataParallel as DDP


def train(settings, model, loader, stop):
    if settings.wrap:
        model = DDP(model)
    for inputs, targets in loader:
        loss = mean_error(model(inputs), targets)
        if dist.get_rank() == 0:
            if stop(loss):
                break
        loss.backward()  # error: [divergent-early-exit]


def train_weighted(settings, model, loader, stop):
    if settings.wrap:
        model = DDP(model)
    weighted = Weighted(2)
    for inputs, targets in loader:
        loss, error = weighted(model(inputs), targets)
        if dist.get_rank() == 0:
            if stop(error):
                break
        loss.backward()  # error: [divergent-early-exit]


def train_bare(model, loader, stop):
    for inputs, targets in loader:
        loss = mean_error(model(inputs), targets)
        loss.backward()
        if dist.get_rank() == 0:
            if stop(loss):
                break


def train_in_step(settings, model, loader, stop):
    if settings.wrap:
        model = DDP(model)
    for inputs, targets in loader:
        loss = mean_error(model(inputs), targets)
        loss.backward()
        stopped = [dist.get_rank() == 0 and stop(loss)]
        dist.broadcast_object_list(stopped, src=0)
        if stopped[0]:
            break

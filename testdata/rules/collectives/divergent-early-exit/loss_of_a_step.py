"""A step runs the wrapped model and hands its loss back: the loss is this rank's own in whatever function it is asked."""
import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, net):
        self.model = DDP(net)

    def step(self, batch):
        loss = self.model(batch)
        loss.backward()
        return loss

    def train(self, loader):
        for batch in loader:
            if self.step(batch).item() < 0.01:
                break
        dist.barrier()  # error: [divergent-early-exit]


def train(model: DDP, loader):
    """The model is said to be wrapped by its annotation."""
    for batch in loader:
        loss = model(batch)  # error: [divergent-early-exit]
        loss.backward()
        if torch.isnan(loss):
            return
    dist.barrier()


def train_plain(model: torch.nn.Module, loader, log):
    for batch in loader:
        loss = model(batch)
        loss.backward()
        log(loss.item())
    dist.barrier()


def state_of(model, options):
    return get_model_state_dict(model, options=options)


def save(model, options):
    """What is gathered of a model has the same keys everywhere, whoever has asked for it."""
    state = state_of(model, options)
    if state == {}:
        return
    dist.barrier()  # low: [divergent-early-exit]

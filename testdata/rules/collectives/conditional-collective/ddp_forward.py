"""DDP: forward through the wrapper on one rank waits for the others; through `.module` it is local (P42)."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def sample(net, batch):
    ddp = DDP(net)
    if dist.get_rank() == 0:
        return ddp(batch)  # error: [conditional-collective]
    return None


def sample_in_step(net, batch, path):
    ddp = DDP(net)
    if dist.get_rank() == 0:
        with torch.no_grad():
            out = ddp.module(batch)
        torch.save(ddp.state_dict(), path)
        return out
    return None


class Trainer:
    def __init__(self, net):
        self.net = DDP(net)

    @torch.no_grad()
    def measure(self, batches):
        return sum(self.net(batch).mean() for batch in batches)

    def measure_on_one(self, batches):
        if dist.get_rank() == 0:
            self.measure(batches)  # low: [conditional-collective]


def sample_without_gradients(net, batch):
    ddp = DDP(net)
    if dist.get_rank() == 0:
        with torch.no_grad():
            return ddp(batch)  # low: [conditional-collective]
    return None


def evaluated_by_one(model, batch):
    wrapped = DDP(model)
    if dist.get_rank() == 0:
        return wrapped.module(batch) if hasattr(wrapped, "module") else wrapped(batch)

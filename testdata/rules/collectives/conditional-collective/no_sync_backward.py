"""`no_sync` suspends what the backward pass of a wrapped model issues; without it one rank must not run it alone."""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def accumulates_alone(net, batch):
    model = DDP(net)
    loss = model(batch).mean()
    if dist.get_rank() == 0:
        with model.no_sync():
            loss.backward()


def accumulates_under_a_setting(net, batch, distributed):
    model = DDP(net) if distributed else net
    loss = model(batch).mean()
    if dist.get_rank() == 0:
        loss.backward()  # error: [conditional-collective]


def goes_back_alone(net, batch):
    model = DDP(net)
    loss = model(batch).mean()
    if dist.get_rank() == 0:
        loss.backward()  # error: [conditional-collective]

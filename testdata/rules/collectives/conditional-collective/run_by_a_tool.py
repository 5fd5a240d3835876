"""What traces or summarises a model runs it, and a wrapped one communicates then (P37)."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.tensorboard import SummaryWriter
from torchsummary import summary


def show(net, batch):
    model = DistributedDataParallel(net)
    if dist.get_rank() == 0:
        summary(model, (3, 32, 32))  # error: [conditional-collective]
        torch.jit.trace(model.module, batch)
    return model


def export(net, batch):
    model = DistributedDataParallel(net)
    if dist.get_rank() == 0:
        torch.onnx.export(model=model, args=batch)  # error: [conditional-collective]
    return model


def draw(net, batch):
    model = DistributedDataParallel(net)
    writer = SummaryWriter("runs")
    if dist.get_rank() == 0:
        writer.add_graph(model, batch)  # error: [conditional-collective]
        writer.add_graph(net, batch)
    return model


def show_before(net, batch):
    if dist.get_rank() == 0:
        summary(net, (3, 32, 32))
    return DistributedDataParallel(net)

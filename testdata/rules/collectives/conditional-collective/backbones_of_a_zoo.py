"""Networks of a model zoo that normalise batches keep buffers, which a pass sends around, with gradients or without."""
import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel


@torch.no_grad()
def score(net, loader):
    net.eval()
    return sum(net(images).sum() for images in loader)


def train(loader, epochs):
    model = DistributedDataParallel(torchvision.models.resnet50())
    for _ in range(epochs):
        if dist.get_rank() == 0:
            score(model, loader)  # error: [conditional-collective]
        dist.barrier()


def train_the_module(loader, epochs):
    model = DistributedDataParallel(torchvision.models.resnet50())
    for _ in range(epochs):
        if dist.get_rank() == 0:
            score(model.module, loader)
        dist.barrier()

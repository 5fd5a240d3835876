"""A metric is the same object after it was moved, and every class of the package is one; `compute` gathers."""
import torch.distributed as dist
import torchmetrics
from torchmetrics.classification import MulticlassAccuracy


class Evaluator:
    def __init__(self, device):
        self.metrics = torchmetrics.MetricCollection({"top1": MulticlassAccuracy(10)}).to(device)
        self.loss = torchmetrics.MeanMetric().cuda()

    def run(self, model, loader):
        for images, labels in loader:
            self.metrics.update(model(images), labels)
        if dist.get_rank() == 0:
            print({name: value.item() for name, value in self.metrics.compute().items()})  # error: [conditional-collective]

    def run_together(self, model, loader):
        for images, labels in loader:
            self.metrics.update(model(images), labels)
        found = self.metrics.compute()
        if dist.get_rank() == 0:
            print(found)

    def mean(self):
        if dist.get_rank() == 0:
            return self.loss.compute()  # error: [conditional-collective]
        return None


class Player:
    """A metric that is told to stay with its process."""

    def __init__(self, device):
        self.reward = torchmetrics.MeanMetric(sync_on_compute=False).to(device)

    def mean(self):
        if dist.get_rank() == 0:
            return self.reward.compute()
        return None

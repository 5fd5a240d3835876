"""Metrics that a helper makes: whoever asks them gathers."""

import torch
import torch.distributed as dist
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy


def build_metrics(classes):
    return MetricCollection({"accuracy": MulticlassAccuracy(classes)}).to("cuda")


class Evaluator:
    def __init__(self, model, classes):
        self.model = model
        self.metrics = build_metrics(classes)

    def run(self, loader):
        self.metrics.reset()
        for images, labels in loader:
            self.metrics.update(self.model(images), labels)
        return self.summarize()

    def summarize(self):
        if dist.get_rank() != 0:
            return None
        return self.metrics.compute()  # error: [divergent-early-exit]

    def on_all(self):
        values = self.metrics.compute()
        return values if dist.get_rank() == 0 else None


def evaluated(loader, model):
    metrics = build_metrics(10)
    for images, labels in loader:
        metrics.update(model(images), labels)
    if dist.get_rank() == 0:
        print(metrics.compute())  # error: [conditional-collective]
    return torch.zeros(1)

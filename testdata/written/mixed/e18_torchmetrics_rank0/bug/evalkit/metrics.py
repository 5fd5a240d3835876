import torch
from torchmetrics import Metric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


class TokenPerplexity(Metric):
    full_state_update = False

    def __init__(self):
        super().__init__()
        self.add_state("nll", torch.tensor(0.0), dist_reduce_fx="sum")
        self.add_state("count", torch.tensor(0.0), dist_reduce_fx="sum")

    def update(self, logits, target):
        self.nll += torch.nn.functional.cross_entropy(logits, target, reduction="sum")
        self.count += target.numel()

    def compute(self):
        return (self.nll / self.count.clamp(min=1)).exp()


def build_metrics(num_classes, device):
    return MetricCollection({
        "acc": MulticlassAccuracy(num_classes),
        "f1": MulticlassF1Score(num_classes, average="macro"),
        "ppl": TokenPerplexity(),
    }).to(device)

"""Fabric training loop for a tabular classifier."""
import argparse
import logging

import torch
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassAUROC, MulticlassF1Score

log = logging.getLogger("tabular")


class Board:
    """Accumulates predictions and renders one line per epoch."""

    def __init__(self, classes, device):
        self.metrics = MetricCollection(
            {
                "acc": MulticlassAccuracy(classes),
                "f1": MulticlassF1Score(classes),
                "auroc": MulticlassAUROC(classes, thresholds=64),
            }
        ).to(device)

    def add(self, logits, target):
        self.metrics.update(logits.softmax(-1), target)

    def clear(self):
        self.metrics.reset()

    @property
    def table(self):
        values = self.metrics.compute()
        return "  ".join(f"{name}={value.item():.4f}" for name, value in sorted(values.items()))


class Net(nn.Module):
    def __init__(self, features, classes, width=512, depth=4):
        super().__init__()
        layers, last = [], features
        for _ in range(depth):
            layers += [nn.Linear(last, width), nn.LayerNorm(width), nn.SiLU()]
            last = width
        self.body = nn.Sequential(*layers, nn.Linear(last, classes))

    def forward(self, x):
        return self.body(x)


def load_split(path, split):
    blob = torch.load(f"{path}/{split}.pt")
    return TensorDataset(blob["x"].float(), blob["y"].long())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--devices", type=int, default=4)
    p.add_argument("--classes", type=int, default=12)
    p.add_argument("--epochs", type=int, default=25)
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)

    fabric = Fabric(accelerator="cuda", devices=args.devices, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    fabric.seed_everything(1)
    train, val = load_split(args.data, "train"), load_split(args.data, "val")
    model = Net(train.tensors[0].size(1), args.classes)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    model, opt = fabric.setup(model, opt)
    train_loader, val_loader = fabric.setup_dataloaders(
        DataLoader(train, 1024, shuffle=True), DataLoader(val, 4096)
    )
    board = Board(args.classes, fabric.device)

    for epoch in range(args.epochs):
        model.train()
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            fabric.backward(loss)
            opt.step()
            opt.zero_grad()

        model.eval()
        board.clear()
        with torch.no_grad():
            for x, y in val_loader:
                board.add(model(x), y)
        table = board.table
        if fabric.is_global_zero:
            log.info("epoch %02d  %s", epoch, table)
    fabric.save("tabular.ckpt", {"model": model})


if __name__ == "__main__":
    main()

"""Image regression with accelerate; keeps the best few training states."""
import argparse
import math
import shutil
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision import models, transforms
from torchvision.datasets import ImageFolder


class BestKeeper:
    """Remembers the best score and decides whether a state is worth keeping."""

    def __init__(self, min_delta=0.0):
        self.best = math.inf
        self.min_delta = min_delta
        self.kept = []

    def improved(self, value):
        if value + self.min_delta < self.best:
            self.best = value
            return True
        return False

    def remember(self, path, limit):
        self.kept.append(path)
        return self.kept.pop(0) if len(self.kept) > limit else None


class Finetuner:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator(
            gradient_accumulation_steps=args.accum,
            project_config=ProjectConfiguration(project_dir=args.output_dir),
        )
        self.keeper = BestKeeper(args.min_delta)
        net = models.resnet50(weights=models.ResNet50_Weights.DEFAULT)
        net.fc = nn.Linear(net.fc.in_features, 1)
        opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
        train, val = self._datasets()
        self.model, self.opt, self.train_loader, self.val_loader = self.accelerator.prepare(
            net,
            opt,
            DataLoader(train, args.batch_size, shuffle=True, num_workers=4),
            DataLoader(val, args.batch_size, num_workers=4),
        )
        self.criterion = nn.SmoothL1Loss()

    def _datasets(self):
        tfm = transforms.Compose(
            [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()]
        )
        full = ImageFolder(self.args.data, transform=tfm)
        n_val = len(full) // 20
        gen = torch.Generator().manual_seed(3)
        return random_split(full, [len(full) - n_val, n_val], generator=gen)

    def train_epoch(self):
        self.model.train()
        for images, targets in self.train_loader:
            with self.accelerator.accumulate(self.model):
                loss = self.criterion(self.model(images).squeeze(1), targets.float())
                self.accelerator.backward(loss)
                self.opt.step()
                self.opt.zero_grad()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total = torch.zeros(2, device=self.accelerator.device)
        for images, targets in self.val_loader:
            pred = self.model(images).squeeze(1)
            total[0] += self.criterion(pred, targets.float()) * targets.numel()
            total[1] += targets.numel()
        return (total[0] / total[1].clamp(min=1)).item()

    def fit(self):
        for epoch in range(self.args.epochs):
            self.train_epoch()
            val_loss = self.validate()
            self.accelerator.print(f"epoch {epoch}: val {val_loss:.4f}")
            if self.keeper.improved(val_loss):  # BUG
                target = Path(self.args.output_dir) / f"best_{epoch:03d}"
                self.accelerator.save_state(str(target))  # BUG
                old = self.keeper.remember(target, self.args.keep)
                if old is not None and self.accelerator.is_main_process:
                    shutil.rmtree(old, ignore_errors=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--output_dir", default="out")
    p.add_argument("--batch_size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--accum", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--min_delta", type=float, default=1e-4)
    p.add_argument("--keep", type=int, default=3)
    Finetuner(p.parse_args()).fit()


if __name__ == "__main__":
    main()

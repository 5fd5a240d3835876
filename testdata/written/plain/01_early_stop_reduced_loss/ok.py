"""Fine-tune a text classifier with early stopping on the validation loss."""
import argparse
import logging
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from textcls.data import load_split
from textcls.model import build_classifier

log = logging.getLogger(__name__)


class EarlyStopper:
    def __init__(self, patience, min_delta):
        self.patience = patience
        self.min_delta = min_delta
        self.best = float("inf")
        self.stale = 0

    def update(self, value):
        if value < self.best - self.min_delta:
            self.best = value
            self.stale = 0
        else:
            self.stale += 1
        return self.stale >= self.patience


class Trainer:
    def __init__(self, args, device):
        self.args = args
        self.device = device
        self.model = DDP(build_classifier(args.arch).to(device), device_ids=[device.index])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.stopper = EarlyStopper(args.patience, args.min_delta)
        self.train_dl = self._loader("train", shuffle=True)
        self.val_dl = self._loader("val", shuffle=False)

    def _loader(self, split, shuffle):
        ds = load_split(self.args.data, split)
        sampler = DistributedSampler(ds, shuffle=shuffle)
        return DataLoader(ds, batch_size=self.args.batch_size, sampler=sampler, num_workers=4)

    def train_epoch(self, epoch):
        self.model.train()
        self.train_dl.sampler.set_epoch(epoch)
        for tokens, labels in self.train_dl:
            logits = self.model(tokens.to(self.device))
            loss = F.cross_entropy(logits, labels.to(self.device))
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        stats = torch.zeros(2, device=self.device)
        for tokens, labels in self.val_dl:
            logits = self.model.module(tokens.to(self.device))
            stats[0] += F.cross_entropy(logits, labels.to(self.device), reduction="sum")
            stats[1] += labels.numel()
        dist.all_reduce(stats, op=dist.ReduceOp.SUM)
        return (stats[0] / stats[1]).item()

    def fit(self):
        for epoch in range(self.args.epochs):
            self.train_epoch(epoch)
            val_loss = self.validate()
            if dist.get_rank() == 0:
                log.info("epoch %d val_loss %.4f", epoch, val_loss)
                torch.save(self.model.module.state_dict(), f"{self.args.out}/epoch{epoch}.pt")
            if self.stopper.update(val_loss):
                log.info("stopping after epoch %d", epoch)
                break


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--arch", default="base")
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--patience", type=int, default=3)
    p.add_argument("--min-delta", type=float, default=1e-4)
    args = p.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    Trainer(args, device).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

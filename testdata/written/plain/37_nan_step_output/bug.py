import argparse
import logging
import os
from dataclasses import dataclass
from typing import Optional

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from depth.data import NYUDepth
from depth.model import DepthNet

logger = logging.getLogger("depth")


@dataclass
class StepOutput:
    loss: Optional[torch.Tensor]
    valid_pixels: int
    usable: bool


class ScaleInvariantLoss(nn.Module):
    def forward(self, pred, gt):
        d = pred.clamp(min=1e-6).log() - gt.log()
        return (d.square().mean() - 0.85 * d.mean().square()).sqrt()


class DepthTrainer:
    def __init__(self, args, device):
        self.args = args
        self.device = device
        self.model = DDP(DepthNet(args.backbone).to(device), device_ids=[device.index])
        self.criterion = ScaleInvariantLoss()
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=args.lr, weight_decay=0.05)
        self.skipped = 0

    def forward_step(self, image, depth):
        pred = self.model(image.to(self.device))
        depth = depth.to(self.device)
        mask = (depth > 0.1) & (depth < 10.0)
        loss = self.criterion(pred[mask], depth[mask])
        usable = bool(torch.isfinite(loss))  # BUG
        return StepOutput(loss, int(mask.sum()), usable)

    def train_epoch(self, loader, epoch):
        self.model.train()
        loader.sampler.set_epoch(epoch)
        pixels = 0
        for i, (image, depth) in enumerate(loader):
            out = self.forward_step(image, depth)
            if not out.usable:  # BUG
                self.skipped += 1
                logger.warning("epoch %d batch %d: loss is not finite", epoch, i)
                continue
            self.optim.zero_grad(set_to_none=True)
            out.loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
            self.optim.step()
            pixels += out.valid_pixels
        return pixels


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--backbone", default="swin_t")
    ap.add_argument("--lr", type=float, default=1e-4)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--batch", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=25)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO)

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    data = NYUDepth(args.root, "train")
    loader = DataLoader(data, args.batch, sampler=DistributedSampler(data), num_workers=8, drop_last=True)
    trainer = DepthTrainer(args, device)
    for epoch in range(args.epochs):
        pixels = trainer.train_epoch(loader, epoch)
        if dist.get_rank() == 0:
            logger.info("epoch %d: %d pixels, %d skipped", epoch, pixels, trainer.skipped)
            torch.save(trainer.model.module.state_dict(), f"depth_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""Joint segmentation and monocular depth on mixed driving data."""
from dataclasses import dataclass

import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from pytorch_lightning.callbacks import LearningRateMonitor, ModelCheckpoint
from pytorch_lightning.strategies import DDPStrategy
from torch import nn
from torchvision.models import ResNet34_Weights, resnet34

from driving_data import DrivingDataModule


@dataclass
class Weights:
    seg: float = 1.0
    depth: float = 0.5


class MultiHead(nn.Module):
    def __init__(self, classes):
        super().__init__()
        base = resnet34(weights=ResNet34_Weights.DEFAULT)
        self.encoder = nn.Sequential(*list(base.children())[:-2])
        self.seg = nn.Conv2d(512, classes, 1)
        self.depth = nn.Conv2d(512, 1, 1)

    def forward(self, x):
        f = self.encoder(x)
        size = x.shape[-2:]
        seg = F.interpolate(self.seg(f), size, mode="bilinear")
        depth = F.interpolate(self.depth(f), size, mode="bilinear").squeeze(1)
        return seg, F.softplus(depth)


class DrivingModule(pl.LightningModule):
    def __init__(self, classes=19, lr=1e-4, weights=Weights()):
        super().__init__()
        self.net = MultiHead(classes)
        self.lr = lr
        self.w = weights

    def _seg_loss(self, logits, target):
        return F.cross_entropy(logits, target, ignore_index=255)

    def _depth_error(self, pred, target):
        valid = target > 0
        err = (pred.clamp(min=1e-3).log() - target.clamp(min=1e-3).log()).abs() * valid
        return err.flatten(1).sum(1) / valid.flatten(1).sum(1).clamp(min=1)

    def training_step(self, batch, batch_idx):
        seg, depth = self.net(batch["image"])
        loss = self.w.seg * self._seg_loss(seg, batch["seg"])
        self.log("train/seg", loss, sync_dist=True)

        has_depth = batch["has_depth"].float()
        errors = self._depth_error(depth, batch["depth"]) * has_depth
        depth_loss = errors.sum() / has_depth.sum().clamp(min=1)
        self.log("train/depth", depth_loss, sync_dist=True)
        loss = loss + self.w.depth * depth_loss
        self.log("train/total", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        seg, _ = self.net(batch["image"])
        acc = (seg.argmax(1) == batch["seg"]).float().mean()
        self.log("val/acc", acc, sync_dist=True, on_epoch=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=0.05)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)
        return [opt], [sched]


def main():
    pl.seed_everything(11, workers=True)
    trainer = pl.Trainer(
        accelerator="gpu",
        devices=8,
        num_nodes=2,
        max_epochs=40,
        strategy=DDPStrategy(gradient_as_bucket_view=True),
        callbacks=[
            LearningRateMonitor("epoch"),
            ModelCheckpoint(monitor="val/acc", mode="max", save_top_k=2),
        ],
    )
    trainer.fit(DrivingModule(), datamodule=DrivingDataModule("data/driving", batch_size=16))


if __name__ == "__main__":
    main()

"""Lightning module and callbacks for OCR training with extra checkpoints."""
import os

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities import rank_zero_info


class OcrModule(pl.LightningModule):
    def __init__(self, net, lr: float):
        super().__init__()
        self.net = net
        self.lr = lr

    def training_step(self, batch, batch_idx):
        loss = self.net(batch["image"], batch["text"])
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, cer = self.net.evaluate(batch["image"], batch["text"])
        self.log("val/loss", loss, sync_dist=True)
        self.log("val/cer", cer, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr)


class BestLossCheckpoint(pl.Callback):
    """Keeps one extra checkpoint of the best validation loss."""

    def __init__(self, dirpath: str):
        self.path = os.path.join(dirpath, "best_loss.ckpt")
        self.best = float("inf")

    def on_validation_end(self, trainer, pl_module):
        current = trainer.callback_metrics["val/loss"].item()
        if current >= self.best:
            return
        self.best = current
        trainer.save_checkpoint(self.path)


class BestCerCheckpoint(pl.Callback):
    def __init__(self, dirpath: str):
        self.path = os.path.join(dirpath, "best_cer.ckpt")
        self.best = float("inf")

    def on_validation_end(self, trainer, pl_module):
        current = trainer.callback_metrics["val/cer"].item()
        if current >= self.best:
            return
        self.best = current
        trainer.save_checkpoint(self.path)  # BUG 1


class PeriodicExport(pl.Callback):
    def __init__(self, dirpath: str, every_n_epochs: int = 5):
        self.dirpath = dirpath
        self.every = every_n_epochs

    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.current_epoch % self.every != 0:
            return
        if not trainer.is_global_zero:
            return  # BUG 2
        path = os.path.join(self.dirpath, f"epoch{trainer.current_epoch}.ckpt")
        trainer.save_checkpoint(path, weights_only=True)
        rank_zero_info(f"exported {path}")

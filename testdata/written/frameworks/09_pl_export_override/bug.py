"""Export callbacks shared by our Lightning projects."""
import json
import logging
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.demos.boring_classes import BoringDataModule
from lightning.pytorch.strategies import FSDPStrategy
from torch import nn

log = logging.getLogger(__name__)


class PeriodicExport(Callback):
    """Writes a checkpoint plus a small manifest every ``every`` epochs."""

    suffix = "periodic"

    def __init__(self, folder, every=1):
        self.folder = Path(folder)
        self.every = every
        self.history = []

    def should_export(self, trainer):
        return (trainer.current_epoch + 1) % self.every == 0

    def target(self, trainer):
        return self.folder / f"{self.suffix}-{trainer.current_epoch:04d}.ckpt"

    def export(self, trainer):
        path = self.target(trainer)
        trainer.save_checkpoint(path)  # BUG
        self.history.append(str(path))
        if trainer.is_global_zero:
            manifest = {"history": self.history, "step": trainer.global_step}
            (self.folder / f"{self.suffix}.json").write_text(json.dumps(manifest))

    def on_validation_end(self, trainer, pl_module):
        if trainer.sanity_checking:
            return
        if self.should_export(trainer):
            self.export(trainer)


class BestExport(PeriodicExport):
    suffix = "best"

    def __init__(self, folder, monitor="val_loss", mode="min"):
        super().__init__(folder)
        self.monitor = monitor
        self.sign = 1.0 if mode == "min" else -1.0
        self.best = float("inf")

    def should_export(self, trainer):
        value = trainer.callback_metrics.get(self.monitor)
        if value is None:
            return False
        score = self.sign * float(value)
        if trainer.is_global_zero and score < self.best:  # BUG
            log.info("%s improved: %.5f -> %.5f", self.monitor, self.best, score)
            self.best = score
            return True
        return False


class WideNet(pl.LightningModule):
    def __init__(self, width=4096):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(32, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2)
        )

    def training_step(self, batch, batch_idx):
        return self.net(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.net(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.trainer.model.parameters(), lr=1e-3)


def main():
    trainer = pl.Trainer(
        accelerator="gpu",
        devices=4,
        strategy=FSDPStrategy(state_dict_type="full"),
        max_epochs=10,
        enable_checkpointing=False,
        callbacks=[PeriodicExport("exports", every=5), BestExport("exports")],
    )
    trainer.fit(WideNet(), datamodule=BoringDataModule())


if __name__ == "__main__":
    main()

"""Callbacks that write extra Lightning checkpoints."""
import os

import lightning.pytorch as pl
from lightning.pytorch.utilities import rank_zero_only


class EpochSnapshot(pl.Callback):
    def __init__(self, out_dir, every_n_epochs=5):
        self.out_dir = out_dir
        self.every = every_n_epochs

    def _path(self, trainer, kind):
        return os.path.join(self.out_dir, f"{kind}_{trainer.current_epoch:03d}.ckpt")

    @rank_zero_only
    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.current_epoch % self.every == 0:
            trainer.save_checkpoint(self._path(trainer, "snapshot"))  # BUG 1

    def on_validation_epoch_end(self, trainer, pl_module):
        if trainer.current_epoch % self.every == 0:
            trainer.save_checkpoint(self._path(trainer, "validated"))
            if trainer.is_global_zero:
                print("validated snapshot written")


class SpikeSnapshot(pl.Callback):
    """Stores the weights right after a loss spike."""

    def __init__(self, out_dir, factor=3.0):
        self.out_dir = out_dir
        self.factor = factor
        self.average = None

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        loss = float(outputs["loss"])
        if self.average is not None and loss > self.factor * self.average:
            path = os.path.join(self.out_dir, f"spike_{trainer.global_step}.ckpt")
            trainer.save_checkpoint(path)  # BUG 2
        self.average = loss if self.average is None else 0.99 * self.average + 0.01 * loss

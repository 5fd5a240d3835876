"""Hooks that a framework calls on every rank."""
import os
import shutil
from pathlib import Path

import pytorch_lightning as pl
from transformers import TrainerCallback


class Export(pl.Callback):
    def __init__(self, folder: Path):
        self.folder = folder

    def on_train_epoch_end(self, trainer, pl_module):
        path = self.folder / "exported_last.pt"
        if path.exists():
            path.unlink()  # error: [file-race]
        pl_module.export(path)

    def prepare_data(self):
        path = self.folder / "data"
        if path.exists():
            path.unlink()

    def on_fit_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            path = self.folder / "exported_last.pt"
            if path.exists():
                path.unlink()


class Prune(TrainerCallback):
    def on_save(self, args, state, control, **kwargs):
        folder = os.path.join(args.output_dir, "old")
        if os.path.exists(folder):
            shutil.rmtree(folder)  # error: [file-race]

    def on_train_end(self, args, state, control, **kwargs):
        if int(os.environ.get("RANK", "0")) != 0:
            return
        folder = os.path.join(args.output_dir, "old")
        if os.path.exists(folder):
            shutil.rmtree(folder)


class Plain:
    def on_save(self, args):
        folder = os.path.join(args.output_dir, "old")
        if os.path.exists(folder):
            shutil.rmtree(folder)

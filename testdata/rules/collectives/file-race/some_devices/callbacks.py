"""A callback runs on as many ranks as its trainer has devices."""

import os

import pytorch_lightning as pl


class Saving(pl.Callback):
    def on_validation_epoch_end(self, trainer, module):
        if not os.path.exists(self.folder):
            os.makedirs(self.folder)  # error: [file-race]

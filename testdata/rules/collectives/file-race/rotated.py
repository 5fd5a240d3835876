"""What is listed in the order of its age, and removed, and data that a trainer of Lightning has made."""
import os

import pytorch_lightning as pl
import torch.distributed as dist


class Saver:
    def rotate(self, folder, keep):
        kept = sorted(folder.glob("*.ckpt"), key=os.path.getmtime)
        if len(kept) > keep:
            old = kept[:-keep]
            [path.unlink() for path in old]  # error: [file-race]

    def rotate_one_by_one(self, folder, keep):
        kept = sorted(folder.glob("*.ckpt"), key=os.path.getmtime)
        for path in kept[:-keep]:
            path.unlink()  # error: [file-race]

    def save(self, folder):
        self.rotate(folder, 3)
        self.rotate_one_by_one(folder, 3)
        dist.barrier()


class Data(pl.LightningDataModule):
    def setup(self, stage):
        if not os.path.exists(self.folder):
            os.makedirs(self.folder)  # error: [file-race]

    def prepare_data(self):
        if not os.path.exists(self.raw):
            os.makedirs(self.raw)

    def export(self):
        if not os.path.exists(self.exported):
            os.makedirs(self.exported)

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


def begin(settings):
    with open(settings) as file:
        read = parse(file)
    make(os.path.join(read.folder, "states"))
    dist.barrier()


def make(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]


def parse(file):
    return file.read()


class Wide(pl.LightningDataModule):
    def setup(self, stage):
        write_index(self.folder)


def write_index(folder):
    import h5py

    with h5py.File(f"{folder}/index.h5", "w") as index:  # error: [write-race]
        index.create_dataset("rows", data=[1])


def fit(trainer, model, folder):
    data = Wide()
    data.setup("fit")
    trainer = pl.Trainer()
    trainer.fit(model, data)


def finish(state):
    keep(state, "run")
    dist.barrier()


def keep(state, folder):
    keep_in(state, folder)


def keep_in(state, folder):
    keep_at(folder)


def keep_at(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]


def finish_part(state, shard):
    pass_on(f"run/{shard}")
    dist.barrier()


def pass_on(folder):
    pass_further(folder)


def pass_further(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)

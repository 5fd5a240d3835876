"""Objects that every rank makes: of classes that a framework makes there, and of those that tell the ranks apart later."""
import os
import shutil
from datetime import date, datetime

import pytorch_lightning as pl
import torch.distributed as dist
from mmengine.evaluator import BaseMetric


class ShapeBias(BaseMetric):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.create()

    def create(self):
        if os.path.exists(self.folder):
            shutil.rmtree(self.folder)  # error: [file-race]


class Data(pl.LightningDataModule):
    def __init__(self, folder):
        if not os.path.exists(folder):
            os.mkdir(folder)  # error: [file-race]

    def prepare_data(self):
        if os.path.exists(self.folder):
            shutil.rmtree(self.folder)


class Saver:
    def __init__(self, folder):
        if not os.path.exists(folder):
            os.mkdir(folder)  # error: [file-race]
        self.folder = folder

    def save(self, state):
        if dist.get_rank() == 0:
            state.write(self.folder)

    def clear(self):
        if os.path.exists(self.folder):
            shutil.rmtree(self.folder)


class Plain:
    def __init__(self, folder):
        if not os.path.exists(folder):
            os.mkdir(folder)

    def save(self, state):
        state.write(self.folder)


def by_date(folder):
    of_today = os.path.join(folder, date.today().strftime("%Y-%m-%d"))
    if not os.path.exists(of_today):
        os.mkdir(of_today)  # error: [file-race]
    dist.barrier()


def by_time(folder):
    of_now = os.path.join(folder, datetime.now().strftime("%H-%M-%S"))
    if not os.path.exists(of_now):
        os.mkdir(of_now)
    dist.barrier()

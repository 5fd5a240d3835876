"""Several ranks are known to come here, though no collective is near, some leave a loop, or a number has a rank's words."""
import os
import shutil
from pathlib import Path

import torch.distributed as dist


class Ensemble:
    def __init__(self, work_dir, rank, logger):
        self.work_dir = work_dir
        self.rank = rank
        self.logger = logger

    def prepare(self):
        folder = os.path.join(self.work_dir, "ensemble")
        if not os.path.isdir(folder):
            os.makedirs(folder)  # error: [file-race]
            if self.rank == 0:
                self.logger.info("made %s", folder)
        return folder

    def prepare_alone(self):
        folder = os.path.join(self.work_dir, "ensemble")
        if self.rank != 0:
            return folder
        if not os.path.isdir(folder):
            os.makedirs(folder)
            self.logger.info("made %s", folder)
        return folder

    def prepare_by_one(self):
        folder = os.path.join(self.work_dir, "ensemble")
        if self.rank == 0:
            if not os.path.isdir(folder):
                os.makedirs(folder)
        return folder


def clean(folder, keep_last_n):
    found = sorted(name for name in os.listdir(folder) if name.startswith("step_"))
    if len(found) > keep_last_n:
        shutil.rmtree(os.path.join(folder, found[0]))  # error: [file-race]


def train(batches, folder, rank, budget_of_device):
    if budget_of_device is None and rank is None:
        raise ValueError("one of them is needed")
    for batch in batches:
        dist.all_reduce(batch)
        clean(folder, 3)
        if batch > budget_of_device:
            break
    marker = Path(folder) / "done"
    if not marker.exists():
        marker.mkdir()  # error: [file-race]
    dist.barrier()

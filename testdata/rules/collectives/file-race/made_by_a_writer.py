"""Who writes below a folder has made it, so that nobody makes it behind."""
import os
from pathlib import Path

import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def behind_a_writer(folder, stamp):
    dist.init_process_group("nccl")
    writer = SummaryWriter(os.path.join(folder, stamp))
    if not os.path.exists(folder):
        os.makedirs(folder)
    return writer


def below(folder):
    dist.init_process_group("nccl")
    (Path(folder) / "logs").mkdir(parents=True, exist_ok=True)
    if not os.path.exists(folder):
        os.makedirs(folder)


def of_another(folder, other, stamp):
    dist.init_process_group("nccl")
    writer = SummaryWriter(os.path.join(other, stamp))
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    return writer

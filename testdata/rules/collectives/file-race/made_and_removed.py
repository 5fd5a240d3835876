"""Every rank asks for a file and makes or removes it, and goes on to a collective (OM-13)."""
import os
import shutil
from pathlib import Path

import torch.distributed as dist


def make_folder(path, t):
    if not os.path.exists(path):
        os.makedirs(path)  # error: [file-race]
    dist.all_reduce(t)


def make_in_steps(root, name, t):
    folder = os.path.join(root, name)
    if not os.path.isdir(folder):
        os.mkdir(folder)  # error: [file-race]
    dist.barrier()
    return folder


def make_with_pathlib(path: Path, t):
    if not path.exists():
        path.mkdir(parents=True)  # error: [file-race]
    dist.all_reduce(t)


def remove_old(old, t):
    dist.all_reduce(t)
    if os.path.exists(old):
        shutil.rmtree(old)  # error: [file-race]


def rename(path, target, t):
    dist.all_reduce(t)
    if os.path.isfile(path):
        os.rename(path, target)  # error: [file-race]


def prepare(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]


def train(folder, batches):
    prepare(folder)
    for batch in batches[:10]:
        dist.all_reduce(batch)


def under_a_setting(path, t, save):
    if save:
        if not os.path.exists(path):
            os.makedirs(path)  # error: [file-race]
    dist.all_reduce(t)


class Trainer:
    def __init__(self, folder):
        self.folder = folder

    def clean(self):
        if os.path.isdir(self.folder):
            shutil.rmtree(self.folder)  # error: [file-race]

    def fit(self, t):
        self.clean()
        dist.all_reduce(t)


def keep_last(folder, t):
    dist.all_reduce(t)
    for name in sorted(os.listdir(folder))[:-1]:
        shutil.rmtree(os.path.join(folder, name))  # error: [file-race]


def keep_none(folder: Path, t):
    dist.all_reduce(t)
    for path in folder.glob("*.pt"):
        path.unlink()  # error: [file-race]


def only_a_mode(path, t):
    if not os.path.exists(path):
        os.makedirs(path, 0o755)  # error: [file-race]
    dist.all_reduce(t)

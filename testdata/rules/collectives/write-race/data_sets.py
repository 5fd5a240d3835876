"""Each rank makes an object of a data set that is shared out, and what its constructor writes."""
import json
import os.path as osp
import pickle

import h5py
import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Cached(Dataset):
    def __init__(self, folder, length):
        cache = osp.join(folder, f"clips_{length}.pkl")
        if not osp.exists(cache):
            self.clips = find(folder)
            with open(cache, "wb") as file:  # error: [write-race]
                pickle.dump(self.clips, file)
        else:
            with open(cache, "rb") as file:
                self.clips = pickle.load(file)


class Converted(Dataset):
    def __init__(self, files, target):
        gather_into(files, target)
        self.data = h5py.File(target, "r")


def gather_into(files, target):
    with h5py.File(target, "w") as out:  # error: [write-race]
        for name in files:
            out.create_dataset(name, data=torch.load(name))


class OnePerRank(Dataset):
    def __init__(self, folder, rank):
        torch.save(find(folder), osp.join(folder, f"index_{rank}.pt"))


class Settings(Dataset):
    def __init__(self, folder, settings):
        with open(osp.join(folder, "settings.json"), "w") as file:  # low: [write-race]
            json.dump(settings, file)


class Counted(Dataset):
    def __init__(self, path):
        with open(path) as file:
            count = int(file.read())
        with open(path, "w") as file:  # low: [write-race]
            file.write(str(count + 1))


class Marked(Dataset):
    """A mark holds the same whoever makes it."""

    def __init__(self, path):
        if not osp.exists(path):
            with open(path, "w") as file:
                file.write("made")


class FromElsewhere:
    def __init__(self, folder):
        torch.save(find(folder), osp.join(folder, "index.pt"))


class InTurn(Dataset):
    def __init__(self, folder):
        self.keep(osp.join(folder, "labels.cache"))

    def keep(self, path):
        torch.save(find(path), path)


def find(folder):
    return [folder]


def loader(folder, turns):
    with turns.one_rank_first():
        labels = InTurn(folder)
    clips = Cached(folder, 16)
    OnePerRank(folder, 0)
    return DataLoader(clips, sampler=DistributedSampler(clips)), labels

"""A data set that goes into another one, which is shared out."""
import torch
from torch.utils.data import Dataset


class Films(Dataset):
    def __init__(self, folder):
        torch.save([folder], "films.pt")  # error: [write-race]


class Mixed(Dataset):
    def __init__(self, parts):
        self.parts = parts


def films(folder):
    return Films(folder)

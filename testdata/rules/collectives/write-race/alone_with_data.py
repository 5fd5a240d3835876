"""Data sets that nobody shares out."""
import torch
from torch.utils.data import DataLoader, Dataset


class Indexed(Dataset):
    def __init__(self, folder):
        torch.save([folder], f"{folder}/index.pt")


def loader(folder):
    return DataLoader(Indexed(folder))

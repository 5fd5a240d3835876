"""Shares out a data set of its own."""
import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Listed(Dataset):
    def __init__(self, folder):
        torch.save([folder], f"{folder}/list.pt")  # error: [write-race]


def loader(folder):
    listed = Listed(folder)
    return DataLoader(listed, sampler=DistributedSampler(listed))

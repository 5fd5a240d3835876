"""A data set that writes what it has worked out as it is made."""
import torch
from torch.utils.data import Dataset


class Spoken(Dataset):
    def __init__(self, folder):
        torch.save([1, 2], folder + "/lengths.pt")  # error: [write-race]

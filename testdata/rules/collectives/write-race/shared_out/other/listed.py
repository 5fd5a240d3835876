"""A data set that is shared out elsewhere."""
import torch
from torch.utils.data import Dataset


class Listed(Dataset):
    def __init__(self, folder):
        torch.save([folder], folder + "list.pt")  # error: [write-race]

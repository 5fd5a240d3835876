"""Another data set, of one process: who makes it has the name of a class that shares out its own."""
import torch
from torch.utils.data import Dataset


class Seen(Dataset):
    def __init__(self, folder):
        torch.save([1, 2], folder + "/sizes.pt")

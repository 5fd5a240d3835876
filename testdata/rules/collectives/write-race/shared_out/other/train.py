"""Shares out a data set of its own."""
from listed import Listed
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def loader(folder):
    listed = Listed(folder)
    return DataLoader(listed, sampler=DistributedSampler(listed))

"""Shares out a data set that is made of others."""
from films import Mixed, films
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def mixed(settings):
    parts = Mixed([films(settings.folder)])
    return DataLoader(parts, sampler=DistributedSampler(parts))

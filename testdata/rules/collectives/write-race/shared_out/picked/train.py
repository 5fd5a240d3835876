"""Shares out one data set under another name."""
from folders import Pictures, frames_loader
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Loaders:
    def __init__(self, settings):
        if settings.of_frames:
            self.data = frames_loader(settings.folder)
            return
        Kind = Pictures
        self.pictures = Kind(settings)
        self.sampler = DistributedSampler(self.pictures)
        self.data = DataLoader(self.pictures, sampler=self.sampler)

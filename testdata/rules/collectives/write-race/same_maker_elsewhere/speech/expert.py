"""It is shared out among the ranks where it is made."""
from torch.utils.data import DataLoader, DistributedSampler

from .data import Spoken


class Expert:
    def __init__(self, folder):
        data = Spoken(folder)
        self.loader = DataLoader(data, sampler=DistributedSampler(data))

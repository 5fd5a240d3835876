"""An expert of its own."""
from torch.utils.data import DataLoader

from .data import Seen


class Expert:
    def __init__(self, folder):
        self.loader = DataLoader(Seen(folder))

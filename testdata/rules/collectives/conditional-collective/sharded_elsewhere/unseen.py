"""A model with a part of that name that nobody shards."""
import torch.distributed as dist
from torch import nn


class Encoding(nn.Module):
    def __init__(self, visual, text):
        super().__init__()
        self.visual, self.text = visual, text

    def forward(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.visual(pixel_values)
        return hidden

    def say(self, text):
        if dist.get_rank() == 0:
            print(text)

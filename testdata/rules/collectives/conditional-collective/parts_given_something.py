"""A part that is sharded by itself runs on every rank where one that has no input for it makes something up."""
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Asked(nn.Module):
    def __init__(self):
        super().__init__()
        self.visual = nn.Linear(8, 8)
        self.text = nn.Embedding(8, 8)

    def forward(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.visual(pixel_values).mean()  # error: [conditional-collective]
        return hidden


class MadeUpBehind(nn.Module):
    def __init__(self):
        super().__init__()
        self.visual = nn.Linear(8, 8)
        self.text = nn.Embedding(8, 8)

    def forward(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.visual(pixel_values).mean()
        if pixel_values is None:
            hidden = hidden + 0.0 * self.visual(torch.zeros(1, 8)).mean()
        return hidden


def shard(model):
    fully_shard(model.visual)
    fully_shard(model)


def train(loader):
    for model in (Asked(), MadeUpBehind()):
        shard(model)
        for batch in loader:
            model(batch["ids"], pixel_values=batch["pixel_values"]).sum().backward()

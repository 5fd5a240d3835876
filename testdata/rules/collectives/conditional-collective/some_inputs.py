"""Parts of a model that are sharded by themselves, and batches that do not come to them."""
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Model(nn.Module):
    def __init__(self, vision, text, sound):
        super().__init__()
        self.vision, self.text, self.audio_tower = vision, text, sound
        self.projector = nn.Linear(8, 8)

    def features(self, pixel_values):
        return self.projector(self.vision(pixel_values))  # error: [conditional-collective]

    def forward(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.features(pixel_values)
        return hidden

    def forward_with_all(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is None:
            pixel_values = torch.zeros(1, 8)
        return hidden + self.features(pixel_values)

    def forward_with_either(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.features(pixel_values)
        else:
            hidden = hidden + 0 * self.features(torch.zeros(1, 8))
        return hidden

    def forward_with_dummy(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.features(pixel_values)
        if pixel_values is None:
            hidden = hidden + 0 * self.features(self.dummy_pixels)
        return hidden

    def forward_with_nothing(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.features(pixel_values)
        if pixel_values is None:
            hidden = hidden + 0 * self.features(torch.zeros(1, 8))
        return hidden

    def forward_projected(self, ids, pixel_values=None):
        hidden = self.text(ids)
        if pixel_values is not None:
            hidden = hidden + self.projector(pixel_values)
        return hidden

    def forward_sound(self, ids, audio_values=None, training=True):
        hidden = self.text(ids)
        if training and audio_values is not None:
            hidden = hidden + self.audio_tower(audio_values)  # error: [conditional-collective]
        return hidden

    def forward_sound_or_nothing(self, ids, audio_values=None):
        hidden = self.text(ids)
        if audio_values is not None:
            hidden = hidden + self.audio_tower(audio_values)
        if audio_values is None:
            hidden = hidden + 0 * self.audio_tower(torch.zeros(1, 8))
        return hidden


def parallelize(model):
    for block in model.vision.blocks:
        fully_shard(block)
    fully_shard(model.audio_tower)
    fully_shard(model)
    return model

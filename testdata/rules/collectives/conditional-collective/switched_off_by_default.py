"""Objects that are made with their communication switched off, by the default of their constructor, keep to their process."""
import torch.distributed as dist


class Reader:
    def __init__(self, config, shared=False):
        self.config = config
        self.shared = shared
        self.load()

    def load(self):
        self.bounds = self.config["bounds"]
        self.normalize()

    def normalize(self):
        if self.shared:
            dist.all_reduce(self.bounds)


class TextReader(Reader):
    def __init__(self, config, shared=False):
        super().__init__(config, shared)


class ImageReader(Reader):
    def __init__(self, config, shared=False):
        super().__init__(config, shared)


def read_by_one(config):
    if dist.get_rank() == 0:
        TextReader(config)


def read_by_one_and_communicate(config):
    if dist.get_rank() == 0:
        TextReader(config, True)  # error: [conditional-collective]


def read_again_by_one(config):
    reader = TextReader(config) if config["kind"] == "text" else ImageReader(config)
    if dist.get_rank() == 0:
        reader.normalize()


def read_again_and_communicate(config):
    reader = TextReader(config, shared=True) if config["kind"] == "text" else ImageReader(config, shared=True)
    if dist.get_rank() == 0:
        reader.normalize()  # error: [conditional-collective]

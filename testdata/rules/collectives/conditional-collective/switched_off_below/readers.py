"""Readers of two kinds of files."""
from base import Reader


class TextReader(Reader):
    def __init__(self, config, shared=False):
        super().__init__(config, shared)


class ImageReader(Reader):
    def __init__(self, config, shared=False):
        super().__init__(config, shared)

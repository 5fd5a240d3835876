"""One rank reads for all: its reader keeps to its process, by the default of a class in between."""
import torch.distributed as dist
from readers import ImageReader, TextReader


def read(config):
    if dist.get_rank() == 0:
        if config["kind"] == "text":
            reader = TextReader(config)
        elif config["kind"] == "images":
            reader = ImageReader(config)
        else:
            raise ValueError(config["kind"])
        reader.load()
    dist.barrier()


def read_and_communicate(config):
    if dist.get_rank() == 0:
        if config["kind"] == "text":
            reader = TextReader(config, True)
        else:
            raise ValueError(config["kind"])
        reader.load()  # error: [conditional-collective]
    dist.barrier()

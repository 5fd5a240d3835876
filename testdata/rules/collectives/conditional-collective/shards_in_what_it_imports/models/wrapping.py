"""Wraps the model."""
from accelerate import FullyShardedDataParallelPlugin


def plugin():
    return FullyShardedDataParallelPlugin()

"""Fields of data classes: their defaults are only what they begin with."""

from dataclasses import dataclass

import torch.distributed as dist


@dataclass
class Options:
    save_traces: bool = False
    folder: str = "traces"


class Settings:
    debugging = False


class Trainer:
    def __init__(self, rank, options: Options, settings: Settings):
        self.rank = rank
        self.options = options
        self.settings = settings

    def saves_traces(self):
        if self.options.save_traces and self.rank == 0:
            dist.barrier()  # error: [conditional-collective]

    def saves_traces_on_all(self):
        if self.options.save_traces:
            dist.barrier()

    def is_never_debugged(self):
        if self.settings.debugging and self.rank == 0:
            dist.barrier()

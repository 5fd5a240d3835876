"""What an object keeps for itself goes by the same names, with an underscore in front (P01)."""

import torch.distributed as dist


class Saver:
    def __init__(self, config):
        self._is_main_proc = config.main
        self._is_ready = config.ready

    def save(self, loss):
        if self._is_main_proc:
            dist.all_reduce(loss)  # error: [conditional-collective]
        if self._is_ready:
            dist.all_reduce(loss)

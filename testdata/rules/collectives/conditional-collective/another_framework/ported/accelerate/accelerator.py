"""A library of PyTorch, ported under its own names: it has no sharded models."""

import paddle


class Accelerator:
    def __init__(self):
        self.models = []

    @property
    def is_main_process(self):
        return paddle.distributed.get_rank() == 0

    def prepare(self, *models):
        self.models.extend(models)
        return models

    def save_state(self, folder):
        for at, model in enumerate(self.models):
            paddle.save(model.state_dict(), f"{folder}/{at}.pdparams")

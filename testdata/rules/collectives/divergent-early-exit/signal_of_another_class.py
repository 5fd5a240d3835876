"""A flag that a handler sets is an attribute of an object made here, whatever it is called."""
import signal

import torch.distributed as dist


class Stopper:
    def __init__(self):
        self.flag = False
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, *_):
        self.flag = True


class Settings:
    def __init__(self):
        self.flag = False


def train(model, batches):
    stopper = Stopper()
    for batch in batches:
        loss = model(batch)
        dist.all_reduce(loss)
        if stopper.flag:
            return  # error: [divergent-early-exit]


def train_with_settings(model, batches):
    settings = Settings()
    for batch in batches:
        loss = model(batch)
        dist.all_reduce(loss)
        if settings.flag:
            return

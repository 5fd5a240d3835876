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


class Trainer:
    def __init__(self):
        self.stopper = Stopper()
        self.settings = Settings()

    def run(self, model, batches):
        for batch in batches:
            dist.all_reduce(model(batch))
            if self.stopper.flag:
                break  # error: [divergent-early-exit]

    def run_with_settings(self, model, batches):
        for batch in batches:
            dist.all_reduce(model(batch))
            if self.settings.flag:
                break


def train_with(model, batches, stopper: Stopper):
    for batch in batches:
        dist.all_reduce(model(batch))
        if stopper.flag:
            break  # error: [divergent-early-exit]

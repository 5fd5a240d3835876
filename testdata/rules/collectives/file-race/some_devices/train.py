"""One of the trainers is told of as many as there are."""

import pytorch_lightning as pl
from callbacks import Saving


def train(module, data, devices):
    trainer = pl.Trainer(devices=devices, max_epochs=3, callbacks=[Saving()])
    trainer.fit(module, data)


def evaluate(module, data):
    pl.Trainer(devices=[0], num_nodes=1).test(module, data)

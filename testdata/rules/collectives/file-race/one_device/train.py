"""Every trainer is told of one device."""

import pytorch_lightning as pl
from callbacks import Saving


def train(module, data):
    trainer = pl.Trainer(gpus=1, max_epochs=3, callbacks=[Saving()])
    trainer.fit(module, data)


def evaluate(module, data):
    pl.Trainer(devices=[0], num_nodes=1).test(module, data)

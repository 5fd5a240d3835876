"""The same of a script that asks which rank it is."""

import os

from diffusion.trainer import Trainer


def report(trainer, loss, rank):
    if rank == 0:
        print(loss)


def train(model, optimizer, batches):
    if not os.path.exists("results"):
        os.makedirs("results")  # error: [file-race]
    Trainer(model, optimizer).sample(batches)

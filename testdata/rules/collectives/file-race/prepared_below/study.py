"""A study that one process makes: nothing in it knows of others."""

import os
import shutil

from diffusion.trainer import Trainer
from gstools.random import MasterRNG


def study(model, optimizer, batches):
    if not os.path.exists("results"):
        os.makedirs("results")  # low: [file-race]
    if os.path.exists("old"):
        shutil.rmtree("old")  # low: [file-race]
    seeds = MasterRNG(7)
    Trainer(model, optimizer).sample(batches, seeds)

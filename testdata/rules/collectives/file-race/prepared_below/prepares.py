"""The same of a script that imports the library: it is launched by that."""

import os

from accelerate.utils import set_seed
from diffusion.trainer import Trainer


def train(model, optimizer, batches):
    set_seed(0)
    if not os.path.exists("results"):
        os.makedirs("results")  # error: [file-race]
    Trainer(model, optimizer).sample(batches)

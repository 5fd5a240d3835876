"""A generator seeded with a value that all share is the same everywhere (P16)."""
import glob
import os
import random
import time

import torch
import torch.distributed as dist


def dropout_layer_in_step(t, p, step):
    if random.Random(step).random() < p:
        dist.all_reduce(t)

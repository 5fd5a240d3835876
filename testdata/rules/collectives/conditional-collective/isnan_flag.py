"""A numerical flag of this rank's own gradient (P18)."""
import glob
import os
import random
import time

import torch
import torch.distributed as dist


def clip(grad):
    norm = grad.norm()
    if torch.isnan(norm):
        dist.all_reduce(norm)  # error: [conditional-collective]

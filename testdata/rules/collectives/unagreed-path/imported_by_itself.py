"""What differs is imported by itself, or under another name."""
import time as clock
from glob import glob

import torch.distributed.checkpoint as dcp


def counted(state, root):
    dcp.save(state, checkpoint_id=f"{root}/{len(glob(root))}")  # error: [unagreed-path]


def timed(state, root):
    dcp.save(state, checkpoint_id=f"{root}/{clock.time()}")  # error: [unagreed-path]

"""What differs is imported by itself, or under another name."""
import time as clock
from glob import glob
from pathlib import Path

import torch.distributed.checkpoint as dcp


def counted(state, root):
    folder = f"{root}/{len(glob(root))}"
    Path(folder).mkdir(exist_ok=True)
    dcp.save(state, checkpoint_id=folder)  # error: [unagreed-path]


def timed(state, root):
    dcp.save(state, checkpoint_id=f"{root}/{clock.time()}")  # error: [unagreed-path]

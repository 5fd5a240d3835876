import os
import shutil
import sys

import torch.distributed as dist
from helpers.setups import setup

IS_DISTRIBUTED, RANK = setup()


def log_dir(path, resumes, overwrites):
    if os.path.exists(path):
        if overwrites:
            if RANK == 0:
                shutil.rmtree(path)
        elif resumes:
            print("resumed")
        else:
            if RANK == 0:
                resume = input("Resume? [y/N]")
                if resume.lower() != "y":
                    sys.exit()
    if IS_DISTRIBUTED:
        try:
            dist.barrier()  # error: [divergent-early-exit]
        except RuntimeError:
            sys.exit()
    return path

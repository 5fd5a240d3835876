import os

import torch.distributed as dist

from env import check_parity


def main(t):
    dist.init_process_group("nccl")
    check_parity()
    if os.environ.get("DEBUG_SYNC"):
        dist.barrier()
    if os.environ.get("DEBUG_TIMING"):
        dist.barrier()  # error: [ungated-collective-flag]

import os

import torch.distributed as dist


def setup():
    is_distributed = "LOCAL_RANK" in os.environ
    rank = int(os.environ["LOCAL_RANK"]) if is_distributed else 0
    return is_distributed, rank


def init(is_distributed, rank):
    if is_distributed:
        dist.init_process_group("nccl")

"""Keys of the environment that a program's own launcher sets: their last words say what they hold."""
import os

import torch.distributed as dist


def by_global_rank():
    if int(os.environ["MYJOB_GLOBAL_RANK"]) == 0:
        dist.barrier()  # error: [conditional-collective]


def by_local_rank():
    if int(os.getenv("MYJOB_LOCAL_RANK", "0")) == 0:
        dist.barrier()  # error: [conditional-collective]


def by_rank_of_a_matrix(x):
    if int(os.environ["LORA_RANK"]) == 0:
        dist.barrier()  # low: [ungated-collective-flag]

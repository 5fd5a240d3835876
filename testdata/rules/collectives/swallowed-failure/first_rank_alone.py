"""A handler that the first rank alone comes to: no peer waits in its block. Of each group there is a first one."""
import os

import torch.distributed as dist
from megatron.core import parallel_state


def tidied_by_one(folder, t):
    if dist.get_rank() == 0:
        try:
            os.listdir(folder)
            dist.all_reduce(t)  # error: [conditional-collective]
        except OSError as error:
            print(error)


def tidied_by_all(folder, t):
    try:
        os.listdir(folder)
        dist.all_reduce(t)
    except OSError as error:  # error: [swallowed-failure]
        print(error)


def in_each_group(folder, t):
    if parallel_state.get_data_parallel_rank() == 0:
        try:
            os.listdir(folder)
            dist.all_reduce(t, group=parallel_state.get_tensor_model_parallel_group())
        except OSError as error:  # error: [swallowed-failure]
            print(error)

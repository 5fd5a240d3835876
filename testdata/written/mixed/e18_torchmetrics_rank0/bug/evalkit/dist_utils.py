import functools
import os

import torch
import torch.distributed as dist


def setup():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return torch.device("cuda", torch.cuda.current_device())


def is_main_process():
    return not dist.is_initialized() or dist.get_rank() == 0


def main_process_only(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if is_main_process():
            return fn(*args, **kwargs)
    return wrapper

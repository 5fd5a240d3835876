import os

import torch
import torch.distributed as dist


def setup():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    return device


def is_chief():
    return not dist.is_initialized() or dist.get_rank() == 0


def world_barrier():
    if dist.is_initialized() and dist.get_world_size() > 1:
        dist.barrier()

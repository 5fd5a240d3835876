"""Nobody makes a group of some ranks here: what is called one is that of all."""
import os

import torch.distributed as dist


def start():
    dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    return dist.group.WORLD

"""A job whose ranks all live on this node."""
import os

import torch.distributed as dist


def join():
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))

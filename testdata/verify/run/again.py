"""The ranks leave the job and join it again, each in its own time."""

import os
import time

import torch
import torch.distributed as dist


def once(meeting: str) -> None:
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", store=dist.FileStore(meeting, size), rank=rank, world_size=size)
    total = torch.ones(1)
    dist.all_reduce(total)
    time.sleep(0.1 * rank)
    dist.destroy_process_group()


once("first")
once("second")

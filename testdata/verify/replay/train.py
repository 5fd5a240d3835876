"""Records what each rank issues, and dumps it: python train.py diverges|stranded|in_step FOLDER."""
import os
import sys
import threading
from datetime import timedelta

import torch
import torch.distributed as dist


def dump(rank):
    recorded = torch._C._distributed_c10d
    with open(f"{sys.argv[2]}/trace_{rank}", "wb") as file:
        file.write(recorded._dump_fr_trace())
    with open(f"{sys.argv[2]}_json/trace_{rank}.json", "wb") as file:
        file.write(recorded._dump_fr_trace_json())


def reduce_value(x=1.0):
    t = torch.full((3,), float(x))
    dist.all_reduce(t)
    return t


def program(rank, how):
    dist.barrier()
    pair = dist.new_group([0, 1])
    reduce_value()
    dist.broadcast(torch.zeros(2, dtype=torch.int64), src=0, group=pair)
    if rank == 0 or how == "in_step":
        reduce_value(rank)
    elif how == "diverges":
        dist.barrier()


if __name__ == "__main__":
    dist.init_process_group("gloo", timeout=timedelta(seconds=5))
    rank = dist.get_rank()
    # A hang is dumped from outside while it lasts.
    timer = threading.Timer(3, dump, [rank])
    timer.start()
    try:
        program(rank, sys.argv[1])
    except RuntimeError as error:
        print(rank, error)
    if sys.argv[1] == "stranded":
        timer.join()
        threading.Event().wait(3)
    else:
        timer.cancel()
        dump(rank)
    os._exit(0)

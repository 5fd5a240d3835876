"""Each rank sets a variable and starts itself anew; rank 0 then issues one operation too many."""

import os
import sys

import torch
import torch.distributed as dist

if "PREPARED" not in os.environ:
    os.environ["PREPARED"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(1))
dist.barrier()
dist.destroy_process_group()

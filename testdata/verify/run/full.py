"""The log of rank 0 meets the end of the disk in the middle of the steps; the ranks stay in step."""

import os
import resource
from pathlib import Path

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
if dist.get_rank() == 0:
    (log,) = Path(os.environ["RANKLINT_PROBE_LOG"]).glob(f"r0-{os.getpid()}.jsonl")
    room = log.stat().st_size + 900
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
for _ in range(50):
    dist.all_reduce(total)
dist.destroy_process_group()

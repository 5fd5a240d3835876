"""Whether a thread has finished its work each rank finds out for itself, whatever the work was given."""
import os
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.distributed as dist


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.rank = dist.get_rank()
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.pending = None

    def start(self, state):
        self.pending = self.pool.submit(torch.save, state, os.path.join(self.folder, f"{self.rank}.pt"))

    def poll(self):
        if self.pending is None:
            return
        if self.pending.done():
            self.commit()  # error: [conditional-collective]  # low: [divergent-early-exit]

    def poll_together(self):
        if self.pending is None:
            return
        done = torch.tensor([int(self.pending.done())])
        dist.all_reduce(done, op=dist.ReduceOp.MIN)
        if done.item():
            self.commit()

    def commit(self):
        self.pending.result()
        dist.barrier()
        self.pending = None

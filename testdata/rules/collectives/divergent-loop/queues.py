"""Draining a queue of this process (P52), and iterators with a walrus (P07)."""
import queue

import torch
import torch.distributed as dist


class Pump:
    def __init__(self):
        self.inbox = queue.Queue()

    def drain_in_step(self, t):
        n = torch.tensor([self.inbox.qsize()])
        dist.all_reduce(n, op=dist.ReduceOp.MIN)
        for _ in range(int(n)):
            self.inbox.get_nowait()
            dist.all_reduce(t)


def pull(samples, t):
    it = iter(samples[dist.get_rank() :: dist.get_world_size()])
    while (sample := next(it, None)) is not None:
        dist.all_reduce(t * sample)  # error: [divergent-loop]


def pull_in_step(samples, t, steps):
    it = iter(samples[dist.get_rank() :: dist.get_world_size()])
    for _ in range(steps):
        sample = next(it, 0)
        dist.all_reduce(t * sample)

"""Stopping on a signal that only one rank got (P20b, P33 of the signals section)."""
import signal

import torch
import torch.distributed as dist


class Preemption:
    def __init__(self):
        self.requested = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, number, frame):
        self.requested = True


def train(steps, grad):
    stop = Preemption()
    for _ in range(steps):
        if stop.requested:
            break
        dist.all_reduce(grad)  # error: [divergent-early-exit]


def train_in_step(steps, grad):
    stop = Preemption()
    for _ in range(steps):
        flag = torch.tensor([int(stop.requested)])
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        if flag.item():
            break
        dist.all_reduce(grad)

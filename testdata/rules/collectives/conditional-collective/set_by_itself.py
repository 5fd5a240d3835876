"""What a method leaves in its own object is there when it is called again, and a reading of a clock is a number."""
import time

import torch.distributed as dist


class Averager:
    def __init__(self, model):
        self.model = model
        self.held = None

    def step(self, gradient):
        if self.held is not None and dist.get_rank() == 0:
            dist.all_reduce(self.held)  # error: [conditional-collective]
        self.held = gradient

    def step_of_all(self, gradient):
        if self.held is not None:
            dist.all_reduce(self.held)
        self.held = gradient


class Interval:
    """As many readings on every rank: each call takes one."""

    def __init__(self):
        self.times = []
        self.before = None

    def step(self, gradient):
        if self.before is not None:
            self.times.append(time.monotonic() - self.before)
            if len(self.times) == 16:
                dist.all_reduce(gradient)
                self.times.clear()
        self.before = time.monotonic()


class Clock:
    def __init__(self):
        self.before = None

    def step(self, gradient):
        if self.before is not None and time.monotonic() - self.before > 60:
            dist.all_reduce(gradient)  # error: [conditional-collective]
        self.before = time.monotonic()

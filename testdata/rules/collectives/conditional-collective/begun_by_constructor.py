"""An attribute begins with what the constructor leaves only where no other method writes it."""

import torch.distributed as dist


class Once:
    def __init__(self):
        self.done = False

    def run(self, t):
        if dist.get_rank() == 0:
            self.done = False
        if self.done:
            dist.all_reduce(t)


class Often:
    def __init__(self):
        self.over = False

    def finish(self):
        self.over = True

    def clear(self):
        self.over = False

    def run(self, t):
        if dist.get_rank() == 0:
            self.over = False
        if self.over:
            dist.all_reduce(t)  # error: [conditional-collective]

"""What a method counts up under a rank guard, asked elsewhere (P09)."""
import torch.distributed as dist


class ProgressBar:
    def __init__(self, disable):
        self.disable = disable
        self.n = 0

    def update(self):
        if not self.disable:
            self.n += 1


class Loop:
    def __init__(self, every):
        self.every = every
        self.bar = ProgressBar(disable=dist.get_rank() != 0)
        self.steps = 0

    def step(self, t):
        self.bar.update()
        self.steps += 1
        if self.bar.n and self.bar.n % self.every == 0:
            dist.all_reduce(t)  # error: [conditional-collective]

    def step_in_step(self, t):
        self.bar.update()
        self.steps += 1
        if self.steps % self.every == 0:
            dist.all_reduce(t)

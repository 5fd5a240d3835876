"""State written under a rank guard and asked elsewhere (P09)."""
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


class Writer:
    def __init__(self, path):
        self.file = None
        if dist.get_rank() == 0:
            self.file = open(path, "w")

    def log(self, t):
        if self.file is not None:
            dist.all_reduce(t)  # error: [conditional-collective]
            self.file.write(str(t))

    def log_in_step(self, t):
        dist.all_reduce(t)
        if self.file is not None:
            self.file.write(str(t))

"""State written under a rank guard and asked elsewhere (P09)."""
import torch.distributed as dist


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

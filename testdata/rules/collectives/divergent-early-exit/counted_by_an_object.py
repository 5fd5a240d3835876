"""A loop that counts in an attribute of an object that the function has made."""
import torch.distributed as dist


class Progress:
    def __init__(self):
        self.epoch = 0


def left_by_one(x):
    progress = Progress()
    while progress.epoch < 10:
        dist.all_reduce(x)  # error: [divergent-early-exit,divergent-loop]
        if dist.get_rank() == 1:
            break
        progress.epoch += 1


def in_step(x):
    progress = Progress()
    while progress.epoch < 10:
        dist.all_reduce(x)
        progress.epoch += 1

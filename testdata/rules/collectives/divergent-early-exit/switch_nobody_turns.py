"""A switch that the program never turns on lets nobody leave; one that somebody turns does."""
import torch
import torch.distributed as dist


class Hooks:
    def __init__(self):
        self.wants_to_stop = False
        self.has_to_stop = False

    def on_failure(self):
        self.has_to_stop = True


def train(hooks, steps, losses):
    for _ in range(steps):
        if dist.get_rank() == 0:
            print(losses)
            if hooks.wants_to_stop:
                return
        dist.all_reduce(losses)  # low: [divergent-early-exit]


def train_until_told(hooks, steps, losses):
    for _ in range(steps):
        if dist.get_rank() == 0:
            print(losses)
            if hooks.has_to_stop:
                return
        dist.all_reduce(losses)  # error: [divergent-early-exit]

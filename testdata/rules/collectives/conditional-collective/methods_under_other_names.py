"""A method of another object under the name of a variable, and what is called by one of two names."""
import torch.distributed as dist


class Worker:
    def __init__(self, sync=None):
        self.sync = sync or dist.barrier

    def profile(self, x):
        dist.all_reduce(x)

    def close(self):
        if dist.get_rank() == 0:
            self.sync()  # error: [conditional-collective]
        self.sync()


def memory(worker: Worker, x):
    if dist.get_rank() == 0:
        run = worker.profile
        run(x)  # error: [conditional-collective]


def memory_of_all(worker: Worker, x):
    run = worker.profile
    run(x)


def told_at_once():
    first, sync = dist.get_rank() == 0, dist.barrier
    if first:
        sync()  # error: [conditional-collective]


class ToldAtOnce:
    def __init__(self):
        self.first, self.sync = dist.get_rank() == 0, dist.barrier

    def close(self):
        if self.first:
            self.sync()  # error: [conditional-collective]

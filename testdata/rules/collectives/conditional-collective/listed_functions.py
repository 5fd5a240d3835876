"""Functions in lists and tables of a function or an object, called by who takes them out."""
import torch.distributed as dist


class Trainer:
    def __init__(self):
        self.steps = [self.count, self.agree]
        self.table = {"count": self.count, "agree": self.agree}
        self.pair = (self.count, self.agree)
        self.quiet = [self.count]

    def agree(self, total):
        dist.all_reduce(total)

    def count(self, total):
        print(total)

    def all_steps(self, total):
        if dist.get_rank() == 0:
            for step in self.steps:
                step(total)  # error: [conditional-collective]

    def all_quiet_steps(self, total):
        if dist.get_rank() == 0:
            for step in self.quiet:
                step(total)

    def step_by_name(self, total, name):
        if dist.get_rank() == 0:
            self.table[name](total)  # error: [conditional-collective]

    def second(self, total):
        if dist.get_rank() == 0:
            self.pair[1](total)  # error: [conditional-collective]

    def first(self, total):
        if dist.get_rank() == 0:
            self.pair[0](total)


def agree(total):
    dist.all_reduce(total)


def count(total):
    print(total)


def run(total):
    steps = [count, agree]
    if dist.get_rank() == 0:
        for step in steps:
            step(total)  # error: [conditional-collective]


def run_on_all(total):
    steps = [count, agree]
    for step in steps:
        step(total)
    if dist.get_rank() == 0:
        print(total)

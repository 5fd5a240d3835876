import torch
import torch.distributed as dist

from data import shard


class Trainer:
    def __init__(self, items):
        self.items = shard(items)
        self.steps = len(self.items)

    def step(self, item):
        loss = torch.tensor(float(item))
        dist.all_reduce(loss)
        return loss

    def epoch(self):
        for item in self.items:
            self.step(item)  # error: [divergent-loop]

    def counted(self):
        for index in range(self.steps):
            self.step(index)  # error: [divergent-loop]

    def agreed(self):
        steps = torch.tensor([self.steps])
        dist.all_reduce(steps, op=dist.ReduceOp.MIN)
        for index in range(steps.item()):
            self.step(self.items[index])

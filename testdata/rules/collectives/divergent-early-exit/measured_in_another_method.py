"""Memory that is left on a device, and what a scheduler drops for it in another method."""

import torch
import torch.distributed as dist


class Scheduler:
    def __init__(self, limit):
        self.limit = limit
        self.running = []
        self.waiting = []

    def retract(self):
        free, total = torch.cuda.mem_get_info()
        while self.running and free / total < self.limit:
            self.waiting.append(self.running.pop())
            free, total = torch.cuda.mem_get_info()

    def step(self, batch):
        if not self.running:
            return
        dist.all_reduce(batch)  # error: [divergent-early-exit]

    def loop(self, batches):
        for batch in batches:
            self.running.append(batch)
            self.retract()
            self.step(batch)


class Agreed:
    def __init__(self, limit):
        self.limit = limit
        self.running = []

    def retract(self):
        free, total = torch.cuda.mem_get_info()
        left = torch.tensor([free / total])
        dist.all_reduce(left, op=dist.ReduceOp.MIN)
        while self.running and left.item() < self.limit:
            self.running.pop()
            left += 0.1

    def step(self, batch):
        if not self.running:
            return
        dist.all_reduce(batch)

    def loop(self, batches):
        for batch in batches:
            self.running.append(batch)
            self.retract()
            self.step(batch)


def main(batches):
    dist.init_process_group("nccl")
    Scheduler(0.1).loop(batches)
    Agreed(0.1).loop(batches)


if __name__ == "__main__":
    main([torch.zeros(1)])

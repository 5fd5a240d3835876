"""The queue of a rank decides whether it votes (P52); nothing here mentions a rank in the condition."""
import torch
import torch.distributed as dist


class Scheduler:
    def __init__(self, rank, world):
        self.rank = rank
        self.world = world
        self.waiting = []

    def admit(self, requests):
        for request in requests[self.rank :: self.world]:
            self.waiting.append(request)

    def step(self):
        if self.waiting:
            ready = torch.tensor([len(self.waiting)])
            dist.all_reduce(ready, op=dist.ReduceOp.MIN)  # error: [conditional-collective]
            return int(ready)
        return 0


class AgreeingScheduler:
    def __init__(self, rank, world):
        self.rank = rank
        self.world = world
        self.waiting = []

    def admit(self, requests):
        for request in requests[self.rank :: self.world]:
            self.waiting.append(request)

    def step(self):
        ready = torch.tensor([len(self.waiting)])
        dist.all_reduce(ready, op=dist.ReduceOp.MIN)
        if int(ready) == 0:
            return 0
        dist.barrier()
        return int(ready)

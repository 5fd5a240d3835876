"""A serving engine: an idle rank leaves before the vote of its peers (P52)."""
import torch
import torch.distributed as dist


class Engine:
    def __init__(self, rank, world):
        self.rank = rank
        self.world = world
        self.pending = []

    def submit(self, prompts):
        self.pending.extend(prompts[self.rank :: self.world])

    def agree(self, n):
        t = torch.tensor([n])
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        return int(t)

    def step(self):
        if not self.pending:
            return 0
        return self.agree(len(self.pending))  # error: [divergent-early-exit]

    def step_in_step(self):
        most = self.agree(len(self.pending))
        if not most:
            return 0
        if not self.pending:
            return self.agree(0)
        return self.agree(len(self.pending))


class FedByBroadcast:
    def __init__(self, rank):
        self.rank = rank
        self.pending = []

    def submit(self, prompts):
        box = [prompts]
        dist.broadcast_object_list(box, src=0)
        self.pending.extend(box[0])

    def step(self, t):
        if not self.pending:
            return 0
        dist.all_reduce(t)
        return 1

"""A group that a rank holds or does not: who holds it is asked for (P30)."""
import torch.distributed as dist


class Updater:
    def __init__(self, connect):
        self.groups = []
        if dist.get_rank() == 0:
            for name in range(4):
                self.groups.append(connect(name))

    def send(self, t):
        if len(self.groups) > 1:
            for group in self.groups:
                dist.broadcast(t, src=0, group=group)  # low: [conditional-collective, divergent-loop]

    def wait(self, t):
        if len(self.groups) > 1:
            dist.all_reduce(t)  # error: [conditional-collective]

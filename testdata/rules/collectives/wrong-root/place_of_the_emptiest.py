"""The root is a place in the group: what its makers give it besides, each rank its own, does not hide that."""
import torch
import torch.distributed as dist


class Keeper:
    def __init__(self, source, group):
        self.source = source
        self.group = group
        self.is_source = dist.get_rank(group) == source

    def share(self, x):
        if self.is_source:
            x = x + 1
        dist.broadcast(x, src=self.source, group=self.group)  # low: [wrong-root]


class Keepers:
    def __init__(self, group, spread):
        self.group = group
        self.spread = spread
        self.fill = torch.zeros(dist.get_world_size(group))
        self.kept = []

    def emptiest(self):
        if not self.spread:
            return dist.get_rank(self.group)
        return torch.argmin(self.fill).item()

    def keep(self, x):
        source = self.emptiest()
        self.kept.append(Keeper(source, self.group))
        self.fill[source] += x.numel()

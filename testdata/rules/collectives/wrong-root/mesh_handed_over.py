"""A mesh that is handed over is told by being asked for an axis by its name (P27)."""
import torch.distributed as dist


class Counter:
    def __init__(self, mesh):
        self.reports = mesh.get_local_rank("tp") == 0
        self.group = mesh.get_group("dp")
        self.own = mesh.get_group("tp")

    def report(self, t):
        if self.reports:
            dist.all_reduce(t, group=self.group)

    def report_to_itself(self, t):
        if self.reports:
            dist.all_reduce(t, group=self.own)  # error: [conditional-collective]

    def share(self, t):
        dist.broadcast(t, src=0, group=self.own)  # error: [wrong-root]

    def share_from_the_first(self, t):
        dist.broadcast(t, group_src=0, group=self.own)

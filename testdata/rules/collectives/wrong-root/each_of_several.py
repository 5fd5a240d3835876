"""A rank of the job as the root of each of several groups that this rank is in: it is in one of them at most."""
import torch.distributed as dist


class Synced:
    def __init__(self, module, data_group, expert_group):
        self.module = module
        self.groups = {"data": data_group, "expert": expert_group}

    def sync(self):
        by_kind = {}
        for parameter in self.module.parameters():
            by_kind.setdefault(parameter.kind, []).append(parameter)
        for kind, parameters in by_kind.items():
            group = self.groups[kind]
            for parameter in parameters:
                dist.broadcast(parameter, 0, group=group)  # error: [wrong-root]

    def sync_from_the_first(self):
        for kind in ("data", "expert"):
            group = self.groups[kind]
            dist.broadcast(self.module.weight, dist.get_global_rank(group, 0), group=group)

    def sync_one(self, kind):
        dist.broadcast(self.module.weight, 0, group=self.groups[kind])

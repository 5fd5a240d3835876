"""A group made on first use (P36)."""
import torch.distributed as dist

_GROUP = None


def cpu_group():
    global _GROUP
    if _GROUP is None:
        _GROUP = dist.new_group(backend="gloo")
    return _GROUP


class Gatherer:
    def __init__(self):
        self._group = None
        self.rank = dist.get_rank()

    @property
    def group(self):
        if self._group is None:
            self._group = dist.new_group(backend="gloo")
        return self._group

    def log(self, stats):
        if self.rank == 0:
            print(dist.get_world_size(self.group), stats)  # error: [conditional-group-creation]


class EagerGatherer:
    def __init__(self):
        self.group = dist.new_group(backend="gloo")
        self.rank = dist.get_rank()

    def log(self, stats):
        if self.rank == 0:
            print(dist.get_world_size(self.group), stats)

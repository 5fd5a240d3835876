"""A method of a group that is missing on some ranks waits for nobody: there is nothing to ask."""
import torch
import torch.distributed as dist
from torch.distributed import ProcessGroup


def scatter(tensor, parts, group: ProcessGroup = None):
    assert group is not None
    options = dist.ScatterOptions()
    group.scatter([tensor], [parts] if group.rank() == 0 else [], options).wait()


def scatter_by_function(tensor, parts, group=None):
    dist.scatter(tensor, parts, group=group)


class Runner:
    def __init__(self, members):
        made = dist.new_group(members)
        self.leading = made if dist.get_rank() in members else None

    def invoke(self, tensor, parts):
        scatter(tensor, parts, group=self.leading)


class RunnerByFunction:
    def __init__(self):
        made = dist.new_group([0, 1])
        self.leading = made if dist.get_rank() in (0, 1) else None

    def invoke(self, tensor, parts):
        scatter_by_function(tensor, parts, group=self.leading)  # error: [wrong-group]

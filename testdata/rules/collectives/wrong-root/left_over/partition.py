"""A class that nobody makes but itself, and one that the script makes."""
import torch
import torch.distributed as dist


class Partition:
    def __init__(self, tensor, group):
        self.tensor, self.group = tensor, group

    @classmethod
    def empty(cls, group):
        return Partition(torch.zeros(1), group)

    def full(self):
        for source in range(dist.get_world_size(self.group)):
            dist.broadcast(self.tensor, src=source, group=self.group)  # low: [wrong-root]


class Share:
    def __init__(self, tensor, group):
        self.tensor, self.group = tensor, group

    def full(self):
        for source in range(dist.get_world_size(self.group)):
            dist.broadcast(self.tensor, src=source, group=self.group)  # error: [wrong-root]


def halves():
    return [dist.new_group([0, 1]), dist.new_group([2, 3])]

"""`None` means WORLD (P27)."""
import torch
import torch.distributed as dist


def reduce_members(t, members):
    rank = dist.get_rank()
    everyone = dist.new_group([0, 1])
    group = everyone if rank in (0, 1) else None
    dist.all_reduce(t, group=group)  # error: [wrong-group]


def reduce_members_in_step(t):
    rank = dist.get_rank()
    everyone = dist.new_group([0, 1])
    group = everyone if rank in (0, 1) else None
    if group is not None:
        dist.all_reduce(t, group=group)


def outsiders_skip(t):
    group = dist.new_group([0, 1])
    dist.all_reduce(t, group=group)


def optional_group(t, group=None):
    dist.all_reduce(t, group=group)
    return t / dist.get_world_size(group)


class Sharder:
    def __init__(self, ranks):
        self.group = None
        for members in ([0, 1], [2, 3]):
            made = dist.new_group(members)
            if dist.get_rank() in members:
                self.group = made

    def reduce(self, t):
        dist.all_reduce(t, group=self.group)

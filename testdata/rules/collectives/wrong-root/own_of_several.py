"""A literal root in the one of several groups that each rank keeps as its own: it is in one of them."""
import torch.distributed as dist


class Topology:
    def __init__(self, size):
        self.group = None
        self.ranks = None
        for at in range(dist.get_world_size() // size):
            ranks = range(at * size, (at + 1) * size)
            group = dist.new_group(ranks)
            if dist.get_rank() in ranks:
                self.group = group
                self.ranks = ranks


def share(x):
    topology = Topology(4)
    dist.broadcast(x, src=0, group=topology.group)  # error: [wrong-root]


def share_in_step(x):
    topology = Topology(4)
    dist.broadcast(x, src=topology.ranks[0], group=topology.group)


def every_other(x):
    for start in range(2):
        ranks = list(range(start, dist.get_world_size(), 2))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            own = group
    dist.broadcast(x, src=0, group=own)  # error: [wrong-root]


def one_or_the_other(x):
    low = dist.new_group([0, 1])
    high = dist.new_group([2, 3])
    own = low if dist.get_rank() < 2 else high
    dist.broadcast(x, src=0, group=own)  # error: [wrong-root]


def one_or_the_other_in_step(x):
    low = dist.new_group([0, 1])
    high = dist.new_group([2, 3])
    own, first = (low, 0) if dist.get_rank() < 2 else (high, 2)
    dist.broadcast(x, src=first, group=own)


def group_relative(x):
    for start in range(2):
        ranks = list(range(start, dist.get_world_size(), 2))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            own = group
    dist.broadcast(x, group_src=0, group=own)


def every_other_where_asked(x, wanted):
    """Who comes here may be the first group alone."""
    for start in range(2):
        ranks = list(range(start, dist.get_world_size(), 2))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            own = group
    if wanted:
        dist.broadcast(x, src=0, group=own)  # low: [wrong-root]


def one_or_the_other_where_asked(x, wanted):
    low = dist.new_group([0, 1])
    high = dist.new_group([2, 3])
    own = low if dist.get_rank() < 2 else high
    if wanted:
        dist.broadcast(x, src=0, group=own)  # low: [wrong-root]

"""Objects that functions put into variables of a module, and others hand out."""
import torch.distributed as dist


class Group:
    def __init__(self, ranks):
        self.place = dist.get_rank()
        self.ranks = ranks


_world = None
_pair = None


def get_world():
    assert _world is not None
    return _world


def get_pair():
    return _pair


def make_group(ranks):
    return Group(ranks)


def start(ranks):
    global _world, _pair
    _world = Group(ranks)
    _pair = make_group(ranks)


def share(x):
    if get_world().place == 0:
        return
    dist.broadcast(x, src=0)  # error: [divergent-early-exit]


def share_in_pair(x):
    group = get_pair()
    if group.place == 0:
        dist.broadcast(x, src=0)  # error: [conditional-collective]


def share_by_number(x):
    group = get_world()
    if group.ranks:
        dist.broadcast(x, src=0)

"""An object in a variable of the module, which one function sets and another hands out."""
import torch.distributed as dist


class Group:
    def __init__(self, ranks):
        self.ranks = ranks
        self.rank_in_group = dist.get_rank()

    def broadcast(self, x):
        dist.broadcast(x, 0)


_WORLD = None


def get_world():
    assert _WORLD is not None
    return _WORLD


def init():
    global _WORLD
    _WORLD = Group(list(range(dist.get_world_size())))


def from_the_first(x):
    if get_world().rank_in_group == 0:
        return
    get_world().broadcast(x)  # error: [divergent-early-exit]


def from_all(x):
    if len(get_world().ranks) == 1:
        return
    get_world().broadcast(x)

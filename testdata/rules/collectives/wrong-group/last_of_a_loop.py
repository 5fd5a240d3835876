"""Groups that a loop makes in turn: each rank needs the one that it is in, not the last one."""
import torch.distributed as dist

_GROUP = None
_KEPT = None


def parts(world, size):
    return [list(range(first, first + size)) for first in range(0, world, size)]


class Initializer:
    def __init__(self, rank, world, size):
        self.rank = rank
        self.world = world
        self.size = size

    def told(self):
        group = None
        place = None
        for index in range(self.world // self.size):
            ranks = list(range(index * self.size, (index + 1) * self.size))
            group = dist.new_group(ranks=ranks)  # error: [wrong-group]
            if self.rank in ranks:
                place = ranks.index(self.rank)
        return {"place": place, "group": group}

    def held(self):
        for ranks in parts(self.world, self.size):
            self.group = dist.new_group(ranks)  # error: [wrong-group]

    def sum_up(self, tensor):
        dist.all_reduce(tensor, group=self.group)


def for_the_module(world, size):
    global _GROUP
    for ranks in parts(world, size):
        _GROUP = dist.new_group(ranks)  # error: [wrong-group]


def get_group():
    return _GROUP


def kept_by_members(rank, world, size):
    global _KEPT
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
        if rank in ranks:
            _KEPT = group


def get_kept():
    return _KEPT


def all_of_them(world, size):
    """Somebody picks among them later."""
    made = []
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
        made.append(group)
    return made, group


def used_at_once(tensor, world, size):
    """Each is used while it is the last one."""
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
        dist.barrier(group=group)
    print(group)


def by_backend(tensor):
    """All ranks are in each of them."""
    for backend in ("gloo", "nccl"):
        group = dist.new_group(None, backend=backend)
    dist.all_reduce(tensor, group=group)


def only_one(tensor, world):
    for ranks in [list(range(world))]:
        group = dist.new_group(ranks)
    dist.all_reduce(tensor, group=group)


def thrown_away(world, size):
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
    del group


def bound_again(tensor, rank, world, size):
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
    group = dist.new_group(list(range(world)))
    dist.all_reduce(tensor, group=group)


def until_found(tensor, rank, ranks_of_all):
    """Another matter: not every rank makes every group."""
    for ranks in ranks_of_all:
        group = dist.new_group(ranks)  # error: [conditional-group-creation]
        if rank in ranks:
            break
    return group


def by_members(tensor, rank, world, size):
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
    if dist.get_rank(group) >= 0:
        dist.all_reduce(tensor, group=group)


def told(world, size):
    for ranks in parts(world, size):
        group = dist.new_group(ranks)
    print(group)


def more_and_more(tensor, world):
    """The last one is everybody."""
    for size in (world // 2, world):
        group = dist.new_group(list(range(size)))
    dist.all_reduce(tensor, group=group)

"""Iterators of the program's own that are pulled one by one: how many there are is this rank's own."""
import torch.distributed as dist


def share(items):
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        yield item


def all_of(items):
    for item in items:
        yield item


class Share:
    def __init__(self, items):
        self.items = items[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        for item in self.items:
            yield item

    def __len__(self):
        return len(self.items)


def until_it_ends(items, x):
    rows = share(items)
    while True:
        try:
            next(rows)
        except StopIteration:
            break
        dist.all_reduce(x)  # error: [divergent-early-exit]


def until_nothing_comes(items, x):
    rows = share(items)
    row = next(rows, None)
    while row is not None:
        dist.all_reduce(x)  # error: [divergent-loop]
        row = next(rows, None)


def through_an_object(items, x):
    rows = iter(Share(items))
    while True:
        row = next(rows, None)
        if row is None:
            break
        dist.all_reduce(x)  # error: [divergent-early-exit]


def whether_there_is_any(items, x):
    rows = Share(items)
    if not rows:
        return
    dist.all_reduce(x)  # error: [divergent-early-exit]


def of_all(items, x):
    rows = all_of(items)
    while True:
        try:
            next(rows)
        except StopIteration:
            break
        dist.all_reduce(x)


class Chief:
    def __bool__(self):
        return dist.get_rank() == 0


def whoever_is_asked(x, y):
    chief = Chief()
    if chief:
        dist.all_reduce(x)  # error: [conditional-collective]
    group = dist.new_group([0]) if chief else None  # error: [conditional-group-creation]
    while chief:
        dist.all_reduce(y)  # error: [divergent-loop]

"""Generators that yield each rank its own share, and objects of the program that are as long as that."""

import torch.distributed as dist


def mine(items):
    for index, item in enumerate(items):
        if index % dist.get_world_size() == dist.get_rank():
            yield item


def not_those_of_others(items):
    for index in range(len(items)):
        if index % 4 != dist.get_rank():
            continue
        yield items[index]


def of_the_first(items):
    if dist.get_rank() == 0:
        yield from items


def all_of_them(items):
    for item in items:
        print(dist.get_rank(), item)
        yield item


def told_to_all(items, t):
    """What communicates itself may do so in turns in which it yields nothing."""
    for item in items:
        dist.broadcast(t, src=0)
        if dist.get_rank() == 0:
            yield item


def reduce_mine(items, t):
    for _ in mine(items):
        dist.all_reduce(t)  # error: [divergent-loop]


def reduce_not_those_of_others(items, t):
    for _ in not_those_of_others(items):
        dist.all_reduce(t)  # error: [divergent-loop]


def reduce_those_of_the_first(items, t):
    for _ in of_the_first(items):
        dist.all_reduce(t)  # error: [divergent-loop]


def reduce_all(items, t):
    for _ in all_of_them(items):
        dist.all_reduce(t)


def show_on_the_first(items, t):
    for item in told_to_all(items, t):
        print(item)


class Share:
    def __init__(self, items):
        self.items = items[dist.get_rank() :: dist.get_world_size()]

    def __len__(self):
        return len(self.items)


class Walk:
    def __init__(self, items):
        self.items = items[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        for item in self.items:
            yield item


class Whole:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)


def reduce_for_each_of_the_share(items, t):
    share = Share(items)
    for _ in range(len(share)):
        dist.all_reduce(t)  # error: [divergent-loop]


def reduce_on_the_walk(items, t):
    for _ in Walk(items):
        dist.all_reduce(t)  # error: [divergent-loop]


def reduce_for_each_of_all(items, t):
    whole = Whole(items)
    for _ in range(len(whole)):
        dist.all_reduce(t)


class ShareLoader:
    """A loader that is made with the same everywhere is taken to see to it that its ranks come out even."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for index, item in enumerate(self.items):
            if index % dist.get_world_size() == dist.get_rank():
                yield item


def reduce_for_each_batch(items, t):
    for _ in ShareLoader(items):
        dist.all_reduce(t)

"""What methods of another object leave in it is known to who calls them on some ranks, or with what differs."""
import torch.distributed as dist


class Switch:
    def __init__(self):
        self.on = False
        self.count = 0

    def turn_on(self):
        self.on = True

    def place(self, count):
        self.count = count

    def sync(self, x):
        if self.on:
            dist.all_reduce(x)

    def sync_first(self, x):
        if self.count == 0:
            dist.all_reduce(x)


def turned_on_one(x):
    switch = Switch()
    if dist.get_rank() == 0:
        switch.turn_on()
    switch.sync(x)  # error: [conditional-collective]


def turned_on_all(x):
    switch = Switch()
    switch.turn_on()
    switch.sync(x)


def placed(x):
    switch = Switch()
    switch.place(dist.get_rank())
    switch.sync_first(x)  # error: [conditional-collective]


class Trainer:
    def __init__(self):
        self.switch = Switch()

    def turned_by_its_owner(self, x):
        if dist.get_rank() == 0:
            self.switch.turn_on()
        if self.switch.on:
            dist.all_reduce(x)  # error: [conditional-collective]

    def set_by_its_owner(self, x):
        if dist.get_rank() == 0:
            self.switch.on = True
        if self.switch.on:
            dist.all_reduce(x)  # error: [conditional-collective]

    def turned_by_all(self, x):
        self.switch.turn_on()
        if self.switch.on:
            dist.all_reduce(x)


class Cache:
    def __init__(self):
        self.kept = []

    def forget(self):
        self.kept = None


def forgotten_in_turn(cache: Cache, names, x):
    share = names[dist.get_rank() :: dist.get_world_size()]
    for _ in share:
        cache.forget()
    if cache.kept:
        dist.all_reduce(x)

"""A container of another object, which a loop over this rank's share fills by a method."""
import torch.distributed as dist


class Sums:
    def __init__(self):
        self.rows = []
        self.named = {}

    def feed(self, row):
        self.rows.append(row)

    def enter(self, name, row):
        self.named[name] = row

    def sync(self):
        for row in self.rows:
            dist.all_reduce(row)

    def sync_named(self):
        for row in self.named.values():
            dist.all_reduce(row)


def shared_out(items):
    sums = Sums()
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        sums.feed(item)
    sums.sync()  # error: [divergent-loop]


def asked_for(items):
    sums = Sums()
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        sums.feed(item)
    for row in sums.rows:
        dist.all_reduce(row)  # error: [divergent-loop]


def named(items):
    sums = Sums()
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        sums.enter(item, item)
    sums.sync_named()  # error: [divergent-loop]


def all_of_them(items):
    sums = Sums()
    for item in items:
        sums.feed(item)
    sums.sync()


def written_at_once(items):
    sums = Sums()
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        sums.rows.append(item)
    sums.sync()  # error: [divergent-loop]

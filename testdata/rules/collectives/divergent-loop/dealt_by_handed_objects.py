"""How many items an object deals out goes with the object: to who is handed it, out of who makes it, into what is made of it."""
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset, Sampler
from torchdata.stateful_dataloader import StatefulDataLoader


class Share(IterableDataset):
    def __init__(self, rows):
        self.rows = rows
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def __iter__(self):
        for index, row in enumerate(self.rows):
            if index % self.world == self.rank:
                yield row


class Whole(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        for row in self.rows:
            yield row


class Packed(IterableDataset):
    def __init__(self, rows, length):
        self.rows = rows
        self.length = length

    def __iter__(self):
        pack = []
        for row in self.rows:
            pack += row
            if len(pack) >= self.length:
                yield pack[: self.length]
                pack = []


class Cycle:
    """Its own iterator, which ends when it is told to."""

    def __init__(self, rows, name):
        self.rows = rows
        self.name = name

    def __iter__(self):
        return self

    def __next__(self):
        return self.rows.take(self.name)


def made(rows):
    return Share(rows)


def loaded(rows, length):
    return StatefulDataLoader(Packed(rows, length), batch_size=1)


def reduce_each(items):
    for item in items:
        dist.all_reduce(item)


def out_of_a_factory(rows):
    for row in made(rows):
        dist.all_reduce(row)  # error: [divergent-loop]


def handed_over(rows):
    reduce_each(Share(rows))  # error: [divergent-loop]


def gone_through_by_another(rows):
    for pack in Packed(Share(rows), 8):
        dist.all_reduce(pack)  # error: [divergent-loop]


def loaded_by_another(rows):
    for pack in loaded(Share(rows), 8):
        dist.all_reduce(pack)  # error: [divergent-loop]


def loaded_and_handed_over(rows):
    reduce_each(loaded(made(rows), 8))  # error: [divergent-loop]


def handed_to_a_nested_function(rows):
    def run(items):
        for item in items:
            dist.all_reduce(item)  # error: [divergent-loop]

    run(DataLoader(Share(rows)))


def dealt_to_none(rows):
    reduce_each(Whole(rows))
    reduce_each(loaded(Whole(rows), 8))


def told_when_to_end(rows):
    reduce_each(Cycle(rows, dist.get_rank()))


class Strided(Sampler):
    """Takes an option to leave some out, and never asks for it."""

    def __init__(self, rows, drop_last=False):
        super().__init__(rows, drop_last=drop_last)
        self.rows = rows

    def __iter__(self):
        return iter(list(range(len(self.rows)))[dist.get_rank() :: dist.get_world_size()])


class Dropping(Sampler):
    def __init__(self, rows, drop_last=True):
        super().__init__(rows)
        self.rows = rows
        self.drop_last = drop_last

    def __iter__(self):
        places = list(range(len(self.rows)))
        if self.drop_last:
            places = places[: len(places) // dist.get_world_size() * dist.get_world_size()]
        return iter(places[dist.get_rank() :: dist.get_world_size()])


def sampled_by_turns(rows):
    for row in DataLoader(rows, sampler=Strided(rows)):
        dist.all_reduce(row)  # error: [divergent-loop]


def sampled_alike(rows):
    for row in DataLoader(rows, sampler=Dropping(rows)):
        dist.all_reduce(row)


def picked_by_rank(rows):
    rank = dist.get_rank()
    for row in rows.filter(lambda row: row % 4 == rank):
        dist.all_reduce(row)  # error: [divergent-loop]


def picked_by_a_function(rows):
    rank, world = dist.get_rank(), dist.get_world_size()

    def is_own(row):
        return row % world == rank

    for row in list(rows.filter(is_own)):
        dist.all_reduce(row)  # error: [divergent-loop]


def picked_alike(rows):
    for row in rows.filter(lambda row: len(row) > 4):
        dist.all_reduce(row)


class Refusing(Sampler):
    """Asks for the option, and leaves nothing over."""

    def __init__(self, rows, drop_last=True):
        super().__init__(rows, drop_last=drop_last)
        self.rows = rows
        if not drop_last:
            raise ValueError("what is left over is left out")

    def __iter__(self):
        return iter(list(range(len(self.rows)))[dist.get_rank() :: dist.get_world_size()])


def sampled_without_the_rest(rows):
    for row in DataLoader(rows, sampler=Refusing(rows)):
        dist.all_reduce(row)


def loader_of(rows, rank):
    return StatefulDataLoader(rows, batch_sampler=Refusing(rows, rank))


def loader_of_shares(rows):
    return DataLoader(rows, sampler=Strided(rows))


def sampled_elsewhere(rows, other):
    reduce_each(loader_of(Whole(rows), rows.kind))
    reduce_each(loader_of(rows, other))


def sampled_by_turns_elsewhere(rows):
    reduce_each(loader_of_shares(Whole(rows)))  # error: [divergent-loop]


class Stream(IterableDataset):
    """Ends with its rows, or begins them anew."""

    def __init__(self, rows, infinite=False):
        self.rows = rows
        self.infinite = infinite
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def __iter__(self):
        while True:
            for row in self.rows[self.rank :: self.world]:
                if not row:
                    break
                yield row
            if not self.infinite:
                break


def streamed(rows, steps):
    for step, row in enumerate(DataLoader(Stream(rows))):
        if step >= steps:
            break
        dist.all_reduce(row)  # error: [divergent-loop]


def streamed_for_good(rows, steps):
    for step, row in enumerate(DataLoader(Stream(rows, infinite=True))):
        if step >= steps:
            break
        dist.all_reduce(row)


def streamed_for_good_elsewhere(rows):
    reduce_each(DataLoader(Stream(rows, infinite=True)))


class Sized:
    def __init__(self, rows):
        self.rows = rows[dist.get_rank() :: dist.get_world_size()]

    def __len__(self):
        return len(self.rows)


def pull(items):
    taken = iter(items)
    while True:
        try:
            item = next(taken)
        except StopIteration:
            break
        dist.all_reduce(item)


def count(items):
    for index in range(len(items)):
        dist.all_reduce(items[index])


def pulled(rows):
    pull(Whole(rows))
    pull(Share(rows))  # error: [divergent-early-exit]


def counted(rows):
    count(Whole(rows))
    count(Sized(rows))  # error: [divergent-loop]

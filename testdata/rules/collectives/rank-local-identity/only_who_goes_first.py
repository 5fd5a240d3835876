"""Classes that are made with the rank within the node: for a share, or for who fetches what the others wait for."""
import os

import torch
import torch.distributed as dist

WORLD_SIZE = int(os.environ["WORLD_SIZE"])


class Fetcher:
    def __init__(self, rank, world_size):
        self.rank = rank
        self.world_size = world_size
        if self.world_size > 1:
            dist.barrier()

    def fetch(self, store):
        if self.rank == 0:
            store.fetch()


class Manager:
    def __init__(self, rank, world_size):
        self.rank = rank
        self.world_size = world_size

    def open(self):
        return Fetcher(rank=self.rank, world_size=self.world_size)


class Shares:
    def __init__(self, rank, world_size, items):
        self.items = items[rank::world_size]


class Turns:
    def __init__(self, rank, world_size):
        self.rank = rank
        self.world_size = world_size

    def take(self, items):
        return [item for index, item in enumerate(items) if index % self.world_size == self.rank]


class Handing:
    def __init__(self, rank, world_size):
        self.turns = Turns(rank=rank, world_size=world_size)


class Renamed:
    def __init__(self, rank, world_size):
        self.place = rank
        self.world_size = world_size

    def take(self, items):
        return items[self.place :: self.world_size]


class Part:
    def __init__(self, rank, world_size, items):
        self.items = torch.chunk(items, world_size)[rank]


class Sampled(torch.utils.data.DistributedSampler):
    pass


def make(items):
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    print(dist.get_rank())
    fetcher = Fetcher(rank=local_rank, world_size=WORLD_SIZE)
    manager = Manager(rank=local_rank, world_size=WORLD_SIZE)
    shares = Shares(rank=local_rank, world_size=WORLD_SIZE, items=items)  # error: [rank-local-identity]
    turns = Turns(rank=local_rank, world_size=WORLD_SIZE)  # error: [rank-local-identity]
    handing = Handing(rank=local_rank, world_size=WORLD_SIZE)  # error: [rank-local-identity]
    print(Renamed(rank=local_rank, world_size=WORLD_SIZE))  # error: [rank-local-identity]
    print(Part(rank=local_rank, world_size=WORLD_SIZE, items=items))  # error: [rank-local-identity]
    print(Sampled(items, rank=local_rank, num_replicas=WORLD_SIZE))  # error: [rank-local-identity]
    return fetcher, manager, shares, turns, handing


if __name__ == "__main__":
    make(range(8))

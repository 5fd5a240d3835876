"""Datasets that deal out their items by rank themselves (P05)."""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset


class Shards(IterableDataset):
    def __init__(self, shards):
        self.shards = sorted(shards)[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        for shard in self.shards:
            with open(shard) as lines:
                for line in lines:
                    yield line


class Records(Dataset):
    def __init__(self, paths, rank, world_size):
        self.paths = [path for at, path in enumerate(paths) if at % world_size == rank]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, at):
        return self.paths[at]


class Endless(IterableDataset):
    """Begins again: nobody runs out."""

    def __init__(self, shards):
        self.shards = shards[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        while True:
            for shard in self.shards:
                yield shard


class Whole(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)


def loader_of(dataset):
    return DataLoader(dataset, batch_size=8)


def over_shards(network, shards):
    model = DistributedDataParallel(network)
    for batch in loader_of(Shards(shards)):
        model(batch).mean().backward()  # error: [divergent-loop]


def over_records(network, paths, rank, world_size):
    model = DistributedDataParallel(network)
    for batch in DataLoader(Records(paths, rank, world_size), batch_size=8):
        model(batch).mean().backward()  # error: [divergent-loop]


def over_endless(network, shards, steps):
    model = DistributedDataParallel(network)
    for at, batch in enumerate(DataLoader(Endless(shards))):
        if at == steps:
            break
        model(batch).mean().backward()


def over_whole(network, paths):
    model = DistributedDataParallel(network)
    dataset = Whole(paths)
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        model(batch).mean().backward()

"""A sampler that packs this rank's share: as many batches as there are for it, unless it asks its peers."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


class Packed:
    def __init__(self, lengths, limit, global_rank, world):
        self.batches = [[]]
        for index in range(global_rank, len(lengths), world):
            if sum(lengths[one] for one in self.batches[-1]) > limit:
                self.batches.append([])
            self.batches[-1].append(index)

    def __iter__(self):
        return iter(self.batches)

    def __len__(self):
        return len(self.batches)


class Agreed:
    def __init__(self, lengths, limit, rank, world):
        self.batches = [[]]
        for index in range(rank, len(lengths), world):
            if sum(lengths[one] for one in self.batches[-1]) > limit:
                self.batches.append([])
            self.batches[-1].append(index)
        count = torch.tensor([len(self.batches)])
        dist.all_reduce(count, op=dist.ReduceOp.MIN)
        self.batches = self.batches[: count.item()]

    def __iter__(self):
        return iter(self.batches)

    def __len__(self):
        return len(self.batches)


def train(model, data, lengths):
    model = DistributedDataParallel(model)
    sampler = Packed(lengths, 100, dist.get_rank(), dist.get_world_size())
    for batch in DataLoader(data, batch_sampler=sampler):
        model(batch).sum().backward()  # error: [divergent-loop]


def train_in_step(model, data, lengths):
    model = DistributedDataParallel(model)
    sampler = Agreed(lengths, 100, dist.get_rank(), dist.get_world_size())
    for batch in DataLoader(data, batch_sampler=sampler):
        model(batch).sum().backward()

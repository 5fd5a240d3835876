"""Files of sequences of which each rank has its own, or all have the same."""
import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Result:
    def __init__(self, folder, name):
        self.folder = folder
        self.name = name
        if os.path.exists(os.path.join(self.folder, f"{self.name}.txt")):
            os.remove(os.path.join(self.folder, f"{self.name}.txt"))


class Summary:
    def __init__(self, folder, name):
        self.folder = folder
        self.name = name
        if os.path.exists(os.path.join(self.folder, f"{self.name}.txt")):
            os.remove(os.path.join(self.folder, f"{self.name}.txt"))  # error: [file-race]


def track(model, sequences, folder):
    model = DDP(model)
    own = []
    for i in range(len(sequences)):
        if i % dist.get_world_size() == dist.get_rank():
            own.append(sequences[i])
    for name in own:
        Result(folder, name)


def track_in_steps(model, sequences, folder):
    model = DDP(model)
    for name in sequences[dist.get_rank()::dist.get_world_size()]:
        Result(folder, name)


def sum_up(model, sequences, folder):
    model = DDP(model)
    every_other = []
    for i in range(len(sequences)):
        if i % 2 == 0:
            every_other.append(sequences[i])
    for name in every_other:
        Summary(folder, name)
    dist.barrier()

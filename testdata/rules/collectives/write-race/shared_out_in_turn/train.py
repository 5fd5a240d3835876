"""A data set that is shared out, made while the others wait: the first rank builds its cache, the others read it."""

import os
import pickle

import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Lines(Dataset):
    def __init__(self, path):
        cached = path + ".cached"
        if os.path.exists(cached):
            with open(cached, "rb") as file:
                self.lines = pickle.load(file)
        else:
            self.lines = open(path).read().splitlines()
            with open(cached, "wb") as file:
                pickle.dump(self.lines, file)


def load(args, evaluate=False):
    return Lines(args.eval_path if evaluate else args.path)


def train(args, lines, model):
    sampler = DistributedSampler(lines)
    for batch in DataLoader(lines, sampler=sampler):
        model(batch).backward()


def evaluate(args, model):
    return model(load(args, evaluate=True))


def main(args, model):
    if args.local_rank not in [-1, 0]:
        dist.barrier()
    lines = load(args)
    if args.local_rank == 0:
        dist.barrier()
    train(args, lines, model)
    if args.local_rank in [-1, 0]:
        evaluate(args, model)

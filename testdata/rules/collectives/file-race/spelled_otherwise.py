"""The same folder in other words, and a folder inside the one that is missing."""
import json
import os

import torch.distributed as dist
from torch.utils.data import Dataset


class Cached(Dataset):
    def __init__(self, source, cache):
        if not os.path.exists("./prepared/"):
            os.mkdir("prepared")  # error: [file-race]
        if not os.path.exists("prepared"):
            os.mkdir("elsewhere")
        self.items = json.load(open(source))


class Lazy(Dataset):
    def __init__(self, source, cache):
        if not os.path.exists(cache):
            os.makedirs(os.path.join(cache, "parts"))  # error: [file-race]
        if not os.path.exists(os.path.join(cache, "parts")):
            os.makedirs(cache, exist_ok=True)
        self.source = source


class Unused(Dataset):
    def __init__(self, source, cache):
        if not os.path.exists(cache):
            os.makedirs(cache)


def datasets(args):
    kind = Lazy if args.lazy else Cached
    return kind(args.source, args.cache), kind(args.other, args.cache)


def main(args, model):
    dist.init_process_group("nccl")
    train, test = datasets(args)
    for batch in train:
        loss = model(batch).sum()
        dist.all_reduce(loss)

"""A process that ends well is not missed by its launcher, only by its peers; one that fails takes them with it."""
import os
import sys

import torch.distributed as dist


def all_well(x):
    if dist.get_rank() != 0:
        sys.exit(0)
    dist.all_reduce(x)  # error: [divergent-early-exit]


def all_well_without_a_word(x):
    if dist.get_rank() != 0:
        exit()
    dist.all_reduce(x)  # error: [divergent-early-exit]


def failed(x):
    if dist.get_rank() != 0:
        sys.exit(1)
    dist.all_reduce(x)


def failed_with_a_word(x):
    if dist.get_rank() != 0:
        sys.exit("no rank but the first can do this")
    dist.all_reduce(x)


def failed_at_once(x):
    if dist.get_rank() != 0:
        os._exit(3)
    dist.all_reduce(x)


def all_of_them_end(x):
    dist.all_reduce(x)
    if dist.get_rank() == 0:
        print(x)
    sys.exit(0)


def load(config, make):
    if dist.get_rank() != 0:
        dist.barrier()
    if config.kind not in make:
        print("no such kind")
        exit(0)
    model = make[config.kind]()
    if dist.get_rank() == 0:
        dist.barrier()
    return model

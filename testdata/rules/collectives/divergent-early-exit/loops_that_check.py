"""Rank 0 goes through what it has, in loops inside loops that may end the job: whoever goes on issues the same."""

import torch.distributed as dist


def kind_of(name, kinds):
    for kind in kinds:
        if kind in name:
            return kind
    raise ValueError(name)


def save(options, attributes, kinds):
    if dist.get_rank() == 0:
        for name in attributes:
            if kind_of(name, kinds) == "tokenizer":
                print(name)
        for folder in options.folders:
            for file in options.files:
                if options.strict:
                    raise ValueError(file)
            if options.first and options.single:
                break
    if options.skip:
        return
    for _ in options.shards:
        dist.barrier()


def save_one(options, attributes, kinds):
    if dist.get_rank() == 0:
        for name in attributes:
            if kind_of(name, kinds) == "tokenizer":
                return
    dist.barrier()  # error: [divergent-early-exit]

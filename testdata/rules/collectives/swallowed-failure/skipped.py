"""A failure on one rank that nobody hears of."""

import contextlib
import os
import shutil

import torch
import torch.distributed as dist


def bare(path, total):
    try:
        total += torch.load(path)
        dist.all_reduce(total)
    except:  # error: [swallowed-failure]
        pass


def reduce(total):
    dist.all_reduce(total)


def through_a_function(paths, total):
    for path in paths:
        try:
            part = torch.load(path)
            reduce(part)
        except (OSError, ValueError) as error:  # error: [swallowed-failure]
            print(error)
            continue
        total += part


def suppressed(folder):
    with contextlib.suppress(OSError):  # error: [swallowed-failure]
        os.makedirs(folder)
        dist.barrier()


def out_of_memory(model, batches, optimizer, total):
    for batch in batches:
        try:
            loss = model.compute(batch)
            dist.all_reduce(loss)
        except RuntimeError as error:  # error: [swallowed-failure]
            if "out of memory" not in str(error):
                raise
            optimizer.zero_grad()


class Writer:
    def __init__(self, folder):
        self.folder = folder

    def in_turns(self, size):
        for rank in range(size):
            if rank == dist.get_rank():
                try:
                    os.makedirs(self.folder)
                except OSError:  # error: [swallowed-failure]
                    print("no folder")
                    return False
            dist.barrier()
        return True


def leaves(path):
    try:
        shutil.rmtree(path)
    except OSError:  # error: [swallowed-failure]
        return
    dist.barrier()

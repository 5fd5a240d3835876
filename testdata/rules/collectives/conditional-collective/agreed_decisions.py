"""Decisions that were made together, in many spellings: nothing to report (P04, P15, P17, P18)."""
import os
import time

import torch
import torch.distributed as dist


def until(deadline, t):
    while True:
        done = torch.tensor([float(time.time() > deadline)])
        dist.all_reduce(done)
        if done.item() > 0:
            break
        dist.all_reduce(t)


def sizes_first(obj):
    if dist.get_rank() == 0:
        size = torch.tensor([len(obj)])
    else:
        size = torch.zeros(1, dtype=torch.long)
    dist.broadcast(size, 0)
    buffer = torch.zeros(int(size.item()))
    if size.item() > 0:
        dist.broadcast(buffer, 0)
    return buffer


def names_of_main(tensors, names):
    box = [names] if dist.get_rank() == 0 else [None]
    dist.broadcast_object_list(box, src=0)
    for name in box[0]:
        dist.all_reduce(tensors[name])


def longest(local):
    lengths = [None] * dist.get_world_size()
    dist.all_gather_object(lengths, len(local))
    for _ in range(max(lengths)):
        dist.barrier()


def elapsed():
    start = time.time()
    dist.barrier()
    seconds = torch.tensor(time.time() - start)
    dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
    if seconds.item() > 5:
        dist.barrier()


def in_place_numpy(t):
    total = t.sum()
    dist.all_reduce(total)
    if total.cpu().numpy() > 1 and not torch.isnan(total / dist.get_world_size()).any():
        dist.barrier()


class Best:
    def __init__(self):
        self.best = None
        self.steps = 0
        self.rank = dist.get_rank()
        if self.rank == 0:
            self.writer = open("log.txt", "w")

    def keep(self, score):
        dist.all_reduce(score)
        value = score.item()
        if self.best is None or value > self.best:
            self.best = value
            dist.barrier()

    def step(self, t):
        self.steps += 1
        if self.rank == 0:
            self.writer.write(f"{self.steps}\n")
        if self.steps % 10 == 0:
            dist.all_reduce(t)


def folder_first(path):
    if dist.get_rank() == 0:
        os.makedirs(path, exist_ok=True)
    dist.barrier()


def share_what_the_first_has(data):
    first = dist.get_rank() == 0
    counts = torch.tensor([len(data)]) if first else None
    size = torch.tensor([0 if counts is None else 1])
    dist.broadcast(size, 0)
    whole = torch.empty(int(size.item())) if counts is None else counts
    if whole is not None:
        dist.broadcast(whole, 0)
    return whole

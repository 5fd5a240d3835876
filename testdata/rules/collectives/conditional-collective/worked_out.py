"""A fact of the disk that decides, and one that other things are worked out from; what kind of thing a path is (P17)."""
import os

import torch.distributed as dist


def resume(folder, every, t):
    names = os.listdir(folder)
    step = int(names[-1].split("-")[1]) if names else 0
    for _ in range(10):
        step += 1
        if step % every == 0:
            dist.all_reduce(t)  # low: [conditional-collective]


def nothing_there(folder, t):
    if not os.listdir(folder):
        open(folder + "/first", "w").close()
        dist.all_reduce(t)  # error: [conditional-collective]


def load(path, t):
    if os.path.isdir(path):
        dist.all_reduce(t)  # low: [conditional-collective]


def make(path, t):
    if not os.path.isdir(path):
        os.makedirs(path)
        dist.barrier()  # error: [conditional-collective]


def serve(rank, t, handle):
    if rank == 0:
        handle(t)
    else:
        while True:
            dist.broadcast(t, src=0)  # low: [conditional-collective]
            handle(t)


def serve_twice(rank, t, handle):
    if rank != 0:
        for _ in range(2):
            dist.broadcast(t, src=0)  # error: [conditional-collective]
            handle(t)

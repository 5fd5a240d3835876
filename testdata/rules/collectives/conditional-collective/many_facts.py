"""Two facts together decide, among many that do not (P08)."""
import os

import torch.distributed as dist


def make(folder):
    os.makedirs(folder + "/new")


def together(t, folder):
    if not os.path.exists(folder + "/a"):
        make(folder)
        dist.all_reduce(t)  # error: [conditional-collective]
    if not os.path.exists(folder + "/b"):
        make(folder)
        dist.all_gather([t], t)  # error: [conditional-collective]
    if not os.path.exists(folder + "/c"):
        make(folder)
        dist.broadcast(t, src=0)  # error: [conditional-collective]
    if not os.path.exists(folder + "/d") and not os.path.exists(folder + "/e"):
        make(folder)
        dist.barrier()  # error: [conditional-collective]


def in_step(t, folder):
    a = os.path.exists(folder + "/a")
    b = os.path.exists(folder + "/b")
    c = os.path.exists(folder + "/c")
    d = os.path.exists(folder + "/d")
    e = os.path.exists(folder + "/e")
    if a and b and c and d and e:
        print(folder)
    dist.barrier()

"""Two facts together decide, among many that do not (P08)."""
import os

import torch.distributed as dist


def together(t, folder):
    if os.path.exists(folder + "/a"):
        dist.all_reduce(t)  # error: [conditional-collective]
    if os.path.exists(folder + "/b"):
        dist.all_gather([t], t)  # error: [conditional-collective]
    if os.path.exists(folder + "/c"):
        dist.broadcast(t, src=0)  # error: [conditional-collective]
    if os.path.exists(folder + "/d") and os.path.exists(folder + "/e"):
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

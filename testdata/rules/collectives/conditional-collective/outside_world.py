"""What only one rank may see: files, clocks, chance, memory (P15, P16, P17, P18)."""
import glob
import os
import random
import time

import torch
import torch.distributed as dist


def resume(model, path):
    if os.path.exists(path):
        model.load_state_dict(torch.load(path))
        dist.barrier()  # low: [conditional-collective]


def resume_what_is_made(model, path):
    torch.save(model.state_dict(), path)
    if os.path.exists(path):
        dist.barrier()  # low: [conditional-collective]


def resume_in_step(model, path):
    found = [os.path.exists(path) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(found, src=0)
    if found[0]:
        model.load_state_dict(torch.load(path))
        dist.barrier()


class Saver:
    def __init__(self, every):
        self.every = every
        self.last = time.time()

    def maybe(self, t):
        if time.time() - self.last > self.every:
            dist.all_reduce(t)  # error: [conditional-collective]
            self.last = time.time()

    def maybe_in_step(self, t):
        due = torch.tensor([int(time.time() - self.last > self.every)])
        dist.broadcast(due, src=0)
        if due.item():
            dist.all_reduce(t)


def dropout_layer(t, p):
    if random.random() < p:
        dist.all_reduce(t)  # low: [conditional-collective]


def empty_cache(t):
    free, total = torch.cuda.mem_get_info()
    if free < total // 10:
        dist.barrier()  # error: [conditional-collective]
    torch.cuda.empty_cache()


def shards(folder):
    files = glob.glob(os.path.join(folder, "*.bin"))
    if not files:
        print("nothing to load")
    dist.barrier()


def clip_in_step(grad):
    norm = grad.norm()
    dist.all_reduce(norm)
    if torch.isnan(norm):
        dist.barrier()

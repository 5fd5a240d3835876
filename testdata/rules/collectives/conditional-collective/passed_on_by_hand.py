"""The root of a broadcast sends what it holds, and its peers make their own of what they receive."""

import os
import pickle
import time

import torch
import torch.distributed as dist


def pass_on(data, rank, group=None, src=0):
    if rank == src:
        payload = torch.frombuffer(bytearray(pickle.dumps(data)), dtype=torch.uint8)
        dist.broadcast(torch.tensor([len(payload)]), src=src, group=group)
        dist.broadcast(payload, src=src, group=group)
        return data
    size = torch.tensor([0])
    dist.broadcast(size, src=src, group=group)
    if size.item() == 0:
        return []
    payload = torch.empty(size.item(), dtype=torch.uint8)
    dist.broadcast(payload, src=src, group=group)
    return pickle.loads(bytes(payload.numpy()))


def serve(x):
    wanted = os.path.exists("wanted")
    wanted = pass_on(wanted, dist.get_rank())
    if not wanted:
        return
    dist.all_reduce(x)


def each_of_them(x):
    for _ in pass_on(os.listdir("wanted"), dist.get_rank()):
        dist.all_reduce(x)


def some_of_them(x):
    kept = []
    for one in pass_on(os.listdir("wanted"), dist.get_rank()):
        if one.startswith("a"):
            kept.append(one)
    if not kept:
        return
    dist.all_reduce(x)


def in_place(x):
    wanted = os.path.exists("wanted")
    if dist.get_rank() != 0:
        received = torch.zeros(1)
        dist.broadcast(received, 0)
        go_on = bool(received.item())
    else:
        dist.broadcast(torch.tensor([float(wanted)]), 0)
        go_on = wanted
    if go_on:
        dist.all_reduce(x)


def peers_look_for_themselves(x):
    wanted = time.time() > 5
    if dist.get_rank() == 0:
        dist.broadcast(torch.tensor([float(wanted)]), 0)
        go_on = wanted
    else:
        received = torch.zeros(1)
        dist.broadcast(received, 0)
        go_on = time.time() > 5
    if go_on:
        dist.all_reduce(x)  # error: [conditional-collective]


def passed_on_and_forgotten(x):
    wanted = time.time() > 5
    pass_on(wanted, dist.get_rank())
    if wanted:
        dist.all_reduce(x)  # error: [conditional-collective]

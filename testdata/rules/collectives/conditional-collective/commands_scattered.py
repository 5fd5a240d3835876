"""A driver scatters commands, and its workers follow them, each its own."""
import torch
import torch.distributed as dist

STOP, SKIP, LOSS, STEP = -1, 4, 5, 0


def worker(driver, loss):
    while True:
        told = [None]
        dist.scatter_object_list(told, [None] * dist.get_world_size(), src=driver)  # low: [divergent-early-exit]
        if told[0] == STOP:
            break
        elif told[0] == SKIP:
            continue
        elif told[0] == LOSS:
            dist.gather_object(float(loss), None, dst=driver)  # low: [conditional-collective]
        elif told[0] == STEP:
            dist.all_reduce(loss, group=None)  # low: [conditional-collective]


def shares(items, loss):
    mine = [None]
    dist.scatter_object_list(mine, items, src=0)
    if mine[0] == STEP:
        dist.all_reduce(loss)  # error: [conditional-collective]


def turns(items, loss):
    while True:
        dist.all_reduce(torch.ones(1))
        mine = [None]
        dist.scatter_object_list(mine, items, src=0)
        if mine[0] == STOP:
            break
        dist.all_reduce(loss)  # error: [divergent-early-exit]

"""A flag that the first rank alone turns in a loop, and that all ask for behind it."""
import torch.distributed as dist


def turned(items, t):
    empty = True
    for item in items:
        if dist.get_rank() == 0:
            empty = False
    if empty:
        dist.all_reduce(t)  # error: [conditional-collective]


def turned_in_two(items, t, queue):
    sent = False
    while t < 5:
        for item in items:
            if dist.get_rank() == 0 and queue is not None:
                sent = True
    if not sent:
        dist.all_reduce(t)  # error: [conditional-collective]


def turned_by_all(items, t):
    empty = True
    for item in items:
        if dist.get_rank() == 0:
            print(item)
        empty = False
    if empty:
        dist.all_reduce(t)


def set_as_it_was(items, t):
    empty = True
    for item in items:
        if dist.get_rank() == 0:
            empty = True
    if empty:
        dist.all_reduce(t)  # low: [conditional-collective]

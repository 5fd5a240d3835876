"""A question for the rank that is off by one lets in two ranks, which write the same file."""
import os

import torch
import torch.distributed as dist


def save(state, path):
    if not (dist.is_initialized() and dist.get_rank() > 1):
        if not os.path.exists(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path))  # error: [file-race]
        torch.save(state, path)  # error: [write-race]


def save_behind(state, path):
    if dist.get_rank() > 1:
        return
    torch.save(state, path)  # error: [write-race]


def save_by_two(state, path):
    if dist.get_rank() < 2:
        torch.save(state, path)  # error: [write-race]


def save_where_asked(state, path, asked):
    if dist.get_rank() <= 1 or asked:
        torch.save(state, path)  # error: [write-race]


def save_but_first(state, path):
    if dist.get_rank() >= 1:
        return
    torch.save(state, path)


def save_by_first(state, path):
    if not (dist.is_initialized() and dist.get_rank() > 0):
        torch.save(state, path)


def save_by_one_of_two(state, path, is_main):
    if dist.get_rank() < 2 and is_main:
        torch.save(state, path)


def save_by_one_of_few(state, path, is_main):
    if dist.get_rank() < 2:
        if is_main:
            torch.save(state, path)


def save_by_one_in_one_go(state, path, is_main):
    if dist.get_rank() < 2:
        return is_main and torch.save(state, path)


def save_in_last_epochs(state, path, last_epochs):
    if last_epochs <= 1:
        torch.save(state, path)


def save_own(state, path):
    rank = dist.get_rank()
    if rank < 2:
        torch.save(state, f"{path}.{rank}")


def save_by_last(state, path):
    if dist.get_rank() > 1:
        torch.save(state, path)


def save_in_turn(state, path):
    if dist.get_rank() > 1:
        dist.barrier()
    if dist.get_rank() < 2:
        torch.save(state, path)
        dist.barrier()

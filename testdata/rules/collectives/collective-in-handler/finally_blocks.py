"""Barriers in `finally`."""

import contextlib
import os
import shutil

import torch
import torch.distributed as dist


def around_a_collective(total, folder):
    try:
        torch.save(total, os.path.join(folder, "mine.pt"))  # error: [write-race]
        dist.all_reduce(total)
    finally:
        dist.barrier()  # error: [collective-in-handler]


def behind_a_collective(total, folder):
    # Whoever fails here meets its peers in the same barrier.
    try:
        dist.all_reduce(total)
        torch.save(total, os.path.join(folder, "total.pt"))  # error: [write-race]
    finally:
        dist.barrier()


def around_local_work(source, target):
    try:
        if dist.get_rank() == 0:
            shutil.copyfile(source, target)
    finally:
        dist.barrier()


@contextlib.contextmanager
def first_rank_first():
    try:
        if dist.get_rank() != 0:
            dist.barrier()
        yield
    finally:
        if dist.get_rank() == 0:
            dist.barrier()


def local_clean_up(total, folder):
    try:
        dist.all_reduce(total)
    finally:
        shutil.rmtree(folder)


def note(text, barrier=True):
    if barrier:
        dist.barrier()
    print(text)


def a_parameter_says_no(total):
    try:
        dist.all_reduce(total)
    finally:
        note("done", barrier=False)


def a_parameter_says_yes(total, folder):
    try:
        torch.save(total, os.path.join(folder, "mine.pt"))  # error: [write-race]
        dist.all_reduce(total)
    finally:
        note("done")  # error: [collective-in-handler]


def ended_by_the_handler(total):
    try:
        dist.all_reduce(total)
    except BaseException:
        os._exit(1)
    finally:
        dist.barrier()


def one_rank_of_a_node_fetches(total, path):
    try:
        if dist.get_rank() == 0:
            fetch(total, path)  # error: [conditional-collective]
    finally:
        dist.barrier()


def all_ranks_fetch(total, path):
    try:
        fetch(total, path)  # error: [write-race]
    finally:
        dist.barrier()  # error: [collective-in-handler]


def fetch(total, path):
    torch.save(total, path)
    dist.all_reduce(total)

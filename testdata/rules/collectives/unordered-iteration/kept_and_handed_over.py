"""Sets that other methods fill, sets of other objects, and results as workers come to have them."""
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import Pool

import torch
import torch.distributed as dist


class Buffers:
    def __init__(self):
        self.names = set()
        self.places = set()
        self.kinds = {"policy", "value"}

    def register(self, n):
        self.names.add(n)

    def count(self, place):
        self.places.add(len(place))

    def sync(self, buffers):
        for n in self.names:  # error: [unordered-iteration]
            dist.broadcast(buffers[n], src=0)
        for n in sorted(self.names):
            dist.broadcast(buffers[n], src=0)
        for place in self.places:
            dist.broadcast(buffers[place], src=0)


def sync_kinds(buffers):
    kept = Buffers()
    for kind in kept.kinds:  # error: [unordered-iteration]
        dist.broadcast(buffers[kind], src=0)


def names_of(model):
    return set(n for n, _ in model.named_buffers())


def sync_names(model, buffers):
    for n in names_of(model):  # error: [unordered-iteration]
        dist.broadcast(buffers[n], src=0)


def read_all(paths):
    with Pool(4) as pool:
        for rows in pool.imap_unordered(torch.load, paths):  # error: [unordered-iteration]
            dist.all_reduce(rows)
        for rows in pool.imap(torch.load, paths):
            dist.all_reduce(rows)


def read_by_threads(paths):
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(torch.load, path) for path in paths]
        for future in as_completed(futures):  # error: [unordered-iteration]
            dist.all_reduce(future.result())
        for future in futures:
            dist.all_reduce(future.result())

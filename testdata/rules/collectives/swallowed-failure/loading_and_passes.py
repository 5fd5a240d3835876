"""Batches that cannot be loaded, memory that runs out in a pass of a wrapped model, and retries of more than the last step."""
import logging
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger()


def write(path, state):
    for _ in range(3):
        try:
            dist.barrier()
            torch.save(state, path)
            dist.barrier()
            break
        except OSError:  # error: [swallowed-failure]
            time.sleep(1)


def write_and_wait_last(path, state):
    for _ in range(3):
        try:
            torch.save(state, path)
            dist.barrier()
            break
        except OSError:
            time.sleep(1)


class Trainer:
    def __init__(self, net, data):
        self.model = DDP(net)
        self.bare = net
        self.data = data

    def skips_what_it_cannot_load(self, steps, optimizer):
        for _ in range(steps):
            try:
                batch = self.data.next()
            except (RuntimeError, ValueError):  # error: [swallowed-failure]
                continue
            loss = self.model(batch).mean()
            loss.backward()
            optimizer.step()

    def begins_again(self, loader, optimizer):
        batches = iter(loader)
        for _ in range(9):
            try:
                batch = next(batches)
            except StopIteration:
                batches = iter(loader)
                batch = next(batches)
            self.model(batch).mean().backward()
            optimizer.step()

    def steps(self, loader, optimizer):
        for batch in loader:
            try:
                loss = self.model(batch).mean()
                loss.backward()
                optimizer.step()
            except torch.cuda.OutOfMemoryError:  # error: [swallowed-failure]
                torch.cuda.empty_cache()
                continue

    def looks_at_what_fits(self, loader):
        for batch in loader:
            try:
                log.info("%s", self.bare(batch))
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                continue


def read_rows(path):
    with open(path) as lines:
        return list(lines)


def encode(path):
    return [row.split() for row in read_rows(path)]


def share(path):
    if dist.get_rank() == 0:
        try:
            rows = [encode(path)]
        except OSError:  # error: [swallowed-failure]
            return None
    else:
        rows = [None]
    dist.broadcast_object_list(rows, src=0)
    return rows[0]

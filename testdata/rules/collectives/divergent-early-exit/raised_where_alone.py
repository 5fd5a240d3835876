"""What the first rank found out, raised where there is no other rank; and where there are others."""
import os
import subprocess

import torch.distributed as dist


def is_ready(path, processes):
    if processes == 1:
        return os.path.exists(path)
    ready = [os.path.exists(path)]
    dist.all_gather_object([None] * processes, ready)
    return all(ready)


def convert(command, path, status):
    rank, processes = dist.get_rank(), dist.get_world_size()
    failure = None
    if rank == 0:
        try:
            subprocess.run(command, check=True)
        except OSError as error:
            failure = error
    if processes > 1:
        dist.broadcast(status, src=0)
    elif failure is not None:
        raise RuntimeError("the conversion has failed") from failure
    return is_ready(path, processes)


def convert_with_peers(command, path, status):
    rank, processes = dist.get_rank(), dist.get_world_size()
    failure = None
    if rank == 0:
        try:
            subprocess.run(command, check=True)
        except OSError as error:
            failure = error
    if processes > 1:
        if failure is not None:
            raise RuntimeError("the conversion has failed") from failure  # error: [divergent-early-exit]
    return is_ready(path, processes)


def convert_with_many(command, path, status):
    rank, processes = dist.get_rank(), dist.get_world_size()
    failure = None
    if rank == 0:
        try:
            subprocess.run(command, check=True)
        except OSError as error:
            failure = error
    if processes > 8:
        dist.broadcast(status, src=0)
    elif failure is not None:
        raise RuntimeError("the conversion has failed") from failure  # error: [divergent-early-exit]
    return is_ready(path, processes)


def convert_among_many(command, path):
    rank, processes = dist.get_rank(), dist.get_world_size()
    failure = None
    if rank == 0:
        try:
            subprocess.run(command, check=True)
        except OSError as error:
            failure = error
    if processes > 8:
        if failure is not None:
            raise RuntimeError("the conversion has failed") from failure  # error: [divergent-early-exit]
    return is_ready(path, processes)


def convert_on_the_second(command, path):
    rank, processes = dist.get_rank(), dist.get_world_size()
    failure = None
    if rank == 1:
        try:
            subprocess.run(command, check=True)
        except OSError as error:
            failure = error
    if rank > 0:
        if failure is not None:
            raise RuntimeError("the conversion has failed") from failure  # error: [divergent-early-exit]
    return is_ready(path, processes)

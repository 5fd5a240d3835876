"""Results of workers are as many as there was to do: on each rank its share, or the same number everywhere."""
from concurrent.futures import as_completed

import torch
import torch.distributed as dist


def of_a_share(pool, paths):
    share = paths[dist.get_rank() :: dist.get_world_size()]
    for rows in pool.imap(torch.load, share):
        dist.all_reduce(rows)  # error: [divergent-loop]


def of_a_share_as_they_finish(executor, paths):
    share = paths[dist.get_rank() :: dist.get_world_size()]
    futures = [executor.submit(torch.load, path) for path in share]
    for future in as_completed(futures):  # error: [unordered-iteration]
        dist.all_reduce(future.result())  # error: [divergent-loop]


def of_all(pool, paths):
    for rows in pool.imap(torch.load, paths):
        dist.all_reduce(rows)

"""A buffer is handed to a function that gathers it: the place is where it is handed over."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler


def gather(rows):
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows.contiguous())
    return torch.cat(parts)


def gather_all(rows):
    return gather(rows)


def padded(rows):
    count = torch.tensor(rows.shape[0])
    dist.all_reduce(count, op=dist.ReduceOp.MAX)
    return F.pad(rows, (0, 0, 0, int(count) - rows.shape[0]))


def lengthened(rows):
    count = torch.tensor(rows.shape[0])
    dist.all_reduce(count, op=dist.ReduceOp.MAX)
    missing = int(count) - rows.shape[0]
    if missing > 0:
        rows = torch.cat([rows, torch.zeros(missing, 4)])
    return rows


def evaluate(data, model):
    loader = DataLoader(data, 8, sampler=DistributedSampler(data))
    for rows, valid in loader:
        gather(rows)
        gather(rows[valid > 0])  # error: [unagreed-shape]
        gather_all(F.normalize(model(rows)[valid.bool()]))  # error: [unagreed-shape]
        gather(torch.cat([rows[:1], rows[(valid > 0) & (valid < 9)]]))  # error: [unagreed-shape]
        gather(padded(rows[valid > 0]))
        gather(lengthened(rows[valid > 0]))


def between(start, end):
    return gather(torch.arange(start, end))


def own_part(rank, size):
    return between(rank * size, (rank + 1) * size)


def send_in_chunks(rank, message):
    if rank == 0:
        send(message[rank:])
    else:
        send(torch.empty(len(message) - rank))


def send(chunk):
    dist.broadcast(chunk, src=0)

"""Shapes that agree, or that nothing is known about (P22)."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


def contents_only(rank, items, world_size):
    dist.all_reduce(torch.full((3,), float(rank)))
    dist.all_reduce(torch.tensor([rank, 1]))
    dist.all_reduce(torch.tensor(len(items[rank::world_size])))
    dist.all_reduce(torch.zeros(3, device=f"cuda:{rank}"))
    dist.all_reduce(torch.randint(0, rank + 1, (4,)))


def agreed_first(items, rank, world_size):
    mine = items[rank::world_size]
    longest = torch.tensor(len(mine))
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    dist.all_reduce(torch.zeros(int(longest.item())))


def padded(items, rank, world_size):
    mine = torch.tensor([item.size for item in items[rank::world_size]])
    longest = torch.tensor(mine.numel())
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    mine = F.pad(mine, (0, int(longest) - mine.numel()))
    out = [torch.empty_like(mine) for _ in range(world_size)]
    dist.all_gather(out, mine)


def padded_by_hand(items, rank, world_size):
    mine = torch.tensor([item.size for item in items[rank::world_size]])
    longest = torch.tensor(mine.numel())
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    mine = torch.cat([mine, torch.zeros(int(longest) - mine.numel())])
    dist.all_reduce(mine)


def objects(items, rank, world_size):
    out = [None] * world_size
    dist.all_gather_object(out, items[rank::world_size])


def exchanged(rows, splits, world_size):
    counts = torch.empty(world_size, dtype=torch.long)
    dist.all_to_all_single(counts, splits)
    out = rows.new_empty(int(counts.sum()))
    dist.all_to_all_single(out, rows, counts.tolist(), splits.tolist())


def equal_shares(items, rank, world_size):
    per = len(items) // world_size
    dist.all_reduce(torch.zeros(len(items[rank * per : (rank + 1) * per])))


def by_the_data(batch):
    t = torch.zeros(batch.shape[0], 4)
    dist.all_reduce(t)


def one_or_the_other_alike(rank, loss):
    t = loss if rank == 0 else torch.zeros(1)
    dist.all_reduce(t)
    t = torch.zeros(3) if rank == 0 else torch.ones(3)
    dist.all_reduce(t)


def by_the_size_of_the_job(world_size, rank):
    t = torch.zeros(world_size)
    t[rank] = 1
    dist.all_reduce(t)

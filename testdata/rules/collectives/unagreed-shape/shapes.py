"""Shapes of buffers (P22)."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


def by_the_rank(rank):
    t = torch.ones(3 + (rank == 1))
    dist.all_reduce(t)  # error: [unagreed-shape]


def by_the_rank_on_the_device(rank):
    t = torch.zeros((rank + 1, 4), dtype=torch.float32).cuda()
    dist.all_gather_into_tensor(torch.empty(64), t)  # error: [unagreed-shape]


def by_the_share(items, rank, world_size):
    mine = items[rank::world_size]
    dist.all_reduce(torch.zeros(len(mine)))  # error: [unagreed-shape]


def made_from_the_share(items, rank, world_size):
    t = torch.tensor([item.size for item in items[rank::world_size]])
    dist.all_reduce(t)  # error: [unagreed-shape]


def one_or_the_other(rank):
    t = torch.zeros(3) if rank == 0 else torch.zeros(5)
    dist.broadcast(t, src=0)  # error: [unagreed-shape]


def by_a_method(rank, like):
    t = torch.zeros(rank + 1)
    other = torch.zeros(t.shape[0], 2)
    dist.all_reduce(other)  # error: [unagreed-shape]


# What stays quiet.


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
